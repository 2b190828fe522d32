import { onePage, type PdfObject, placed } from '../../ingestion/extraction/pdf/pdf.fixture';
import { type Expected, fileOf, type ReadingCase } from './reading-case.fixture';

const twice = fileOf('pdf-twice', 'pdf');
const spaced = fileOf('pdf-spaced', 'pdf');
const at = (x: number, y: number, words: string, size = 12): string =>
  `/F1 ${size} Tf 1 0 0 1 ${x} ${y} Tm (${words}) Tj`;
const drawn = (...operators: string[]): Buffer => onePage(`BT ${operators.join(' ')} ET`);
const ONCE: Expected = { count: { 'Harbour master': 1 }, found_by: ['harbour'] };

const TWICE: ReadingCase[] = [
  twice(
    'three-times',
    drawn(
      at(70, 700, 'Harbour master'),
      at(70.2, 700, 'Harbour master'),
      at(70.4, 700, 'Harbour master'),
      at(70, 680, 'Office'),
    ),
    ONCE,
  ),
  twice('above-and-right', drawn(at(70, 700, 'Harbour master'), at(70.4, 700.4, 'Harbour master')), ONCE),
  twice(
    'halo-of-eight',
    drawn(
      ...[-1, 0, 1].flatMap((x) => [-1, 0, 1].map((y) => at(70 + x / 2, 700 + y / 2, 'Harbour master'))),
      at(70, 700, 'Harbour master'),
    ),
    ONCE,
  ),
  twice(
    'shadow-far-in-order',
    drawn(
      at(71, 699, 'Harbour master'),
      at(70, 680, 'Open daily'),
      at(70, 660, 'Ring twice'),
      at(70, 700, 'Harbour master'),
    ),
    { ...ONCE, in_order: ['Harbour master', 'Open daily', 'Ring twice'] },
  ),
  twice(
    'split-differently',
    drawn(at(70, 700, 'Harbour master'), at(70.3, 700, 'Har'), at(70.3 + 18.68 + 0.66, 700, 'bour master')),
    ONCE,
  ),
  twice('two-words-second-again', drawn(at(70, 700, 'Harbour master'), at(117.3, 700, 'master')), ONCE),
  twice('heading-large', drawn(at(70, 700, 'Harbour master', 40), at(73, 697, 'Harbour master', 40)), ONCE),
  twice('word-again-beside', drawn(at(70, 700, 'Pago'), at(102, 700, 'Pago')), { count: { Pago: 2 } }),
  twice('letters-doubled', drawn(at(70, 700, 'Bookkeeper'), at(70, 680, 'll ss')), {
    text_contains: ['Bookkeeper', 'll ss'],
  }),
  twice('narrow-letters', drawn(at(70, 700, 'Willful illness ||| iii')), {
    text_contains: ['Willful illness ||| iii'],
  }),
  twice(
    'small-print-lines',
    drawn(at(70, 700, 'same line', 4), at(70, 695.5, 'same line', 4), at(70, 691, 'same line', 4)),
    { count: { 'same line': 3 } },
  ),
  twice(
    'columns-alike',
    drawn(at(70, 700, 'Total'), at(300, 700, 'Total'), at(70, 680, '7'), at(300, 680, '7')),
    { count: { Total: 2 } },
  ),
];

const SPACED: ReadingCase[] = [
  spaced(
    'spacing-5',
    drawn('5 Tc', at(60, 720, 'HARBOUR FESTIVAL', 18), '0 Tc', at(60, 690, 'Boats at nine.')),
    { text_contains: ['HARBOUR FESTIVAL', 'Boats at nine.'] },
  ),
  spaced('spacing-12', drawn('12 Tc', at(60, 720, 'HARBOUR', 18), '0 Tc', at(60, 690, 'Boats at nine.')), {
    text_contains: ['HARBOUR'],
  }),
  spaced('spacing-lower-case', drawn('4 Tc', at(60, 720, 'harbour festival', 14)), {
    text_contains: ['harbour festival'],
  }),
  spaced('spacing-three-words', drawn('6 Tc', at(60, 720, 'OPEN ALL WINTER', 16)), {
    text_contains: ['OPEN ALL WINTER'],
  }),
  spaced(
    'spacing-by-array',
    onePage('BT /F1 18 Tf 60 720 Td [(H) -400 (A) -400 (R) -400 (B) -400 (O) -400 (U) -400 (R)] TJ ET'),
    { text_contains: ['HARBOUR'] },
  ),
  spaced('word-spacing', onePage('BT 9 Tw /F1 12 Tf 60 720 Td (Boats leave at nine) Tj ET'), {
    text_contains: ['Boats leave at nine'],
  }),
  spaced('spaces-drawn', drawn(at(60, 720, 'H A R B O U R')), { text_contains: ['H A R B O U R'] }),
  spaced('letters-in-cells', drawn(at(60, 700, 'X'), at(160, 700, 'Y'), at(260, 700, 'Z')), {
    text_lacks: ['XY', 'YZ'],
  }),
  spaced('digits-in-columns', drawn(at(60, 700, '1'), at(90, 700, '2'), at(120, 700, '3')), {
    text_lacks: ['12', '23'],
  }),
  spaced('tight-spacing', drawn('-0.4 Tc', at(60, 700, 'Boats leave at nine from the pier')), {
    text_contains: ['Boats leave at nine from the pier'],
  }),
  spaced('spacing-with-number', drawn('5 Tc', at(60, 720, 'ROOM 204', 18)), { text_contains: ['ROOM 204'] }),
];

const form = fileOf('pdf-form', 'pdf');
const HELVETICA = '/DR << /Font << /Helv 4 0 R >> >> /DA (/Helv 12 Tf 0 g)';
const withFields = (
  label: string,
  fields: Record<number, PdfObject>,
  numbers = Object.keys(fields),
): Buffer =>
  onePage(`BT ${at(60, 705, label)} ET`, {
    root: `/AcroForm << /Fields [${numbers.map((one) => `${one} 0 R`).join(' ')}] /NeedAppearances true ${HELVETICA} >>`,
    page: `/Annots [${numbers.map((one) => `${one} 0 R`).join(' ')}]`,
    more: fields,
  });
const widget = (entries: string, flags = 4): string =>
  `<< /Type /Annot /Subtype /Widget /F ${flags} /DA (/Helv 12 Tf 0 g) /Rect [160 700 400 720] /T (f) ${entries} >>`;
const note = (entries: string): Buffer =>
  onePage(`BT ${at(60, 705, 'Plan')} ET`, {
    page: '/Annots [10 0 R]',
    more: { 10: `<< /Type /Annot /Rect [100 600 320 620] ${entries} >>` },
  });

const FORMS: ReadingCase[] = [
  form(
    'choice',
    withFields('Colour:', { 10: widget('/FT /Ch /Ff 131072 /V (cyan) /Opt [(magenta) (cyan)]') }),
    { text_contains: ['cyan'], text_lacks: ['magenta'] },
  ),
  form(
    'choice-display',
    withFields('Colour:', { 10: widget('/FT /Ch /Ff 131072 /V (c1) /Opt [[(c0) (magenta)] [(c1) (cyan)]]') }),
    { text_contains: ['cyan'], text_lacks: ['magenta'] },
  ),
  form(
    'multi-line',
    withFields('Remarks:', { 10: widget('/FT /Tx /Ff 4096 /V (Leave at door.\\rRing twice.)') }),
    { text_contains: ['Leave at door.', 'Ring twice.'], text_lacks: ['door.Ring'] },
  ),
  form(
    'two-fields',
    withFields('Names:', {
      10: widget('/FT /Tx /V (Okonkwo)').replace('/T (f)', '/T (a)'),
      11: widget('/FT /Tx /V (Lindqvist)').replace('160 700 400 720', '160 670 400 690'),
    }),
    { count: { Okonkwo: 1, Lindqvist: 1 }, found_by: ['Lindqvist'] },
  ),
  form('not-on-screen', withFields('Order', { 10: widget('/FT /Tx /V (quixotic)', 32) }), {
    text_lacks: ['quixotic'],
  }),
  form('value-latin', withFields('Street:', { 10: widget('/FT /Tx /V (Stra\\337e)') }), {
    text_contains: ['Straße'],
  }),
  form('value-utf-8', withFields('Street:', { 10: widget('/FT /Tx /V <EFBBBF53747261C39F65>') }), {
    text_contains: ['Straße'],
  }),
  form(
    'free-text-without-appearance',
    note('/Subtype /FreeText /F 4 /DA (/Helv 12 Tf) /Contents (Gate moved north)'),
    { count: { 'Gate moved north': 1 } },
  ),
  form('free-text-hidden', note('/Subtype /FreeText /F 2 /DA (/Helv 12 Tf) /Contents (quixotic)'), {
    text_contains: ['Plan'],
    text_lacks: ['quixotic'],
  }),
  form('sticky-note', note('/Subtype /Text /F 4 /Contents (Ask the lock keeper)'), {
    in_order: ['Plan', '[Ask the lock keeper]'],
    found_by: ['keeper'],
  }),
  form(
    'comment-on-marked-text',
    note('/Subtype /Highlight /F 4 /QuadPoints [60 717 90 717 60 705 90 705] /Contents (Too vague)'),
    {
      text_contains: ['Too vague'],
    },
  ),
  form('sticky-note-hidden', note('/Subtype /Text /F 2 /Contents (quixotic)'), {
    text_lacks: ['quixotic'],
  }),
  form('link', note('/Subtype /Link /F 4 /Contents (quixotic) /A << /S /URI /URI (http://example.com) >>'), {
    text_contains: ['Plan'],
  }),
  form(
    'form-object',
    onePage(`BT /F1 12 Tf 50 700 Td (kettle) Tj ET /X1 Do BT /F1 12 Tf 50 660 Td (Since) Tj ET`, {
      resources: '/XObject << /X1 10 0 R >>',
      more: {
        10: [
          '/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F1 4 0 R >> >>',
          'BT /F1 12 Tf 50 680 Td (Boiling) Tj ET',
        ],
      },
    }),
    {
      text_lacks: ['kettleSince', 'kettleBoiling', 'BoilingSince'],
      in_order: ['kettle', 'Boiling', 'Since'],
    },
  ),
  form(
    'form-object-same-line',
    onePage(`BT /F1 12 Tf 50 700 Td (kettle) Tj ET /X1 Do`, {
      resources: '/XObject << /X1 10 0 R >>',
      more: {
        10: [
          '/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F1 4 0 R >> >>',
          'BT /F1 12 Tf 92 700 Td (Since) Tj ET',
        ],
      },
    }),
    { text_lacks: ['kettleSince'], in_order: ['kettle', 'Since'] },
  ),
];

const actual = fileOf('actual-text', 'pdf');
const utf16 = (text: string): string => `<FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;
const span = (text: string, glyphs: string): string => `/Span << /ActualText ${text} >> BDC ${glyphs} EMC`;
const line = (...operators: string[]): string => `BT /F1 12 Tf 14 TL 50 700 Td ${operators.join(' ')} ET`;
const says = (id: string, operators: string[], ...right: string[]): ReadingCase =>
  actual(id, onePage(line(...operators)), { text_contains: right });
const NAMED = line('(o) Tj /Span /P0 BDC (X) Tj EMC (ce hours) Tj');

const ACTUAL_TEXTS: ReadingCase[] = [
  says('ligature', ['(o) Tj', span(utf16('ffi'), '(X) Tj'), '(ce hours) Tj'], 'office hours'),
  says('changed-at-line-end', ['(Dru) Tj', span('(c)', '(k-) Tj'), "(ker sind hier) '"], 'Drucker sind hier'),
  says(
    'soft-hyphen-drawn',
    ['(The water) Tj', span(utf16('\u00ad'), '(-) Tj'), "(wheel turns.) '"],
    'The waterwheel turns.',
  ),
  says(
    'nested',
    ['(The ) Tj', span('(harbour)', `(h) Tj ${span('(X)', '(Y) Tj')}`), '( master) Tj'],
    'The harbour master',
  ),
  says(
    'other-marks-inside',
    [span('(harbour)', '/Span << /Lang (en) >> BDC (hxrb) Tj EMC'), '( master) Tj'],
    'harbour master',
  ),
  says(
    'several-operators',
    ['(The ) Tj', span('(harbour)', '(h) Tj (1) Tj (r) Tj'), '( master) Tj'],
    'The harbour master',
  ),
  says('in-latin', ['(The ) Tj', span('(caf\\351)', '(kafe) Tj'), '( opens) Tj'], 'The café opens'),
  says('in-utf-8', ['(The ) Tj', span('<EFBBBF636166C3A9>', '(kafe) Tj'), '( opens) Tj'], 'The café opens'),
  says('tabulator', ['(Name) Tj', span(utf16('\t'), '( ) Tj'), '(Lindqvist) Tj'], 'Name Lindqvist'),
  says('nothing-stated-for-words', [span('()', '(harbour) Tj'), '( master) Tj'], 'harbour master'),
  says('alternate-description', ['(The ) Tj /Span << /Alt (quixotic) >> BDC (cafe) Tj EMC'], 'The cafe'),
  actual('leaders', onePage(line('(Pumps) Tj', span('()', '(......) Tj'), '( 12) Tj')), {
    text_contains: ['Pumps 12'],
  }),
  actual('other-script', onePage(line(span(utf16('退款政策'), '(abcd) Tj'))), {
    text_contains: ['退款政策'],
    text_lacks: ['abcd'],
  }),
  actual('on-two-lines', onePage(line(span('(harbour master)', "(hrbr) Tj (mstr) '"), "(Office) '")), {
    text_contains: ['harbour master Office'],
  }),
  actual(
    'in-resources',
    onePage(NAMED, {
      resources: '/Properties << /P0 10 0 R >>',
      more: { 10: `<< /ActualText ${utf16('ffi')} >>` },
    }),
    { text_contains: ['office hours'] },
  ),
];

const columns = fileOf('pdf-columns', 'pdf');
/** Columns that are drawn line by line across the page. */
const across = (id: string, texts: string[][], ...right: string[]): ReadingCase => {
  const rows = Array.from({ length: Math.max(...texts.map((column) => column.length)) }, (_, row) => row);
  const drawnTexts = rows.flatMap((row) =>
    texts.flatMap((column, at): [number, number, string][] =>
      column[row] ? [[50 + (at * 500) / texts.length, 720 - row * 12, column[row]]] : [],
    ),
  );
  return columns(id, placed(drawnTexts), { text_contains: right });
};

const COLUMNS: ReadingCase[] = [
  across(
    'three-lines',
    [
      ['The harbour office opens', 'at nine every morning and', 'closes at noon.'],
      ['Boats leave from the pier', 'every hour until the last', 'one at six.'],
    ],
    'office opens at nine every morning and closes at noon.',
    'from the pier every hour until the last one at six.',
  ),
  across(
    'two-lines',
    [
      ['Tickets are sold at the', 'gate of the old mill.'],
      ['Dogs must be kept on a', 'lead in the meadow.'],
    ],
    'sold at the gate of the old mill.',
    'kept on a lead in the meadow.',
  ),
  across(
    'ragged',
    [
      ['We thank everyone', 'who brought cake to the fair and', 'stayed.'],
      ['Next year', 'the fair moves to the big hall by', 'the river.'],
    ],
    'everyone who brought cake to the fair and stayed.',
    'Next year the fair moves to the big hall by the river.',
  ),
  across(
    'uneven',
    [
      ['Members pay half of the', 'price at the desk.'],
      ['Guests pay the whole price', 'and get a refund of the', 'deposit when they leave.'],
    ],
    'half of the price at the desk.',
    'price and get a refund of the deposit when they leave.',
  ),
  across(
    'three-columns',
    [
      ['Oars are kept in', 'the long shed.'],
      ['Sails are dried on', 'the upper deck.'],
      ['Ropes are coiled', 'before the night.'],
    ],
    'kept in the long shed.',
    'dried on the upper deck.',
    'coiled before the night.',
  ),
  across(
    'broken-word',
    [
      ['The old water-', 'wheel is repaired.'],
      ['The new lock gate', 'opens in the spring.'],
    ],
    'waterwheel is repaired.',
    'gate opens in the spring.',
  ),
  across(
    'chinese',
    [
      ['图书馆每天上午九点开放，', '周一闭馆，请带好证件。'],
      ['泳池开放到晚上八点，儿', '童须由家长陪同入场。'],
    ],
    '九点开放，周一闭馆，请带好证件。',
    '八点，儿童须由家长陪同入场。',
  ),
  across(
    'table',
    [
      ['Monday', 'Tuesday', 'Friday'],
      ['nine to five', 'closed', 'nine to noon'],
    ],
    'Monday | nine to five',
    'Friday | nine to noon',
  ),
  across(
    'glossary',
    [
      ['deposit', 'notice', 'arrears'],
      ['a sum that is paid first.', 'a letter that ends the lease.', 'rent that is not paid.'],
    ],
    'deposit | a sum that is paid first.',
    'arrears | rent that is not paid.',
  ),
  across(
    'glossary-with-head',
    [
      ['Term', 'deposit', 'notice'],
      ['Meaning', 'a sum that is paid first', 'a letter that ends the lease.'],
    ],
    'deposit | a sum that is paid first',
  ),
];

const comb = fileOf('pdf-comb', 'pdf');
/** Widths of Helvetica. */
const WIDTHS: Record<string, number> = {
  I: 278,
  L: 556,
  N: 722,
  D: 722,
  Q: 778,
  V: 667,
  S: 667,
  T: 611,
  A: 667,
  E: 667,
  W: 944,
  M: 833,
};
const BOX = 14.17;
/** Letters in the middle of boxes of one width, which are not drawn. */
const boxed = (x: number, y: number, word: string, box = BOX): string =>
  Array.from(word, (letter, place) => {
    const left = x + place * box + box / 2 - (11 * (WIDTHS[letter] ?? 556)) / 2000;
    return letter === ' ' ? '' : at(left, y, letter, 11);
  }).join(' ');
const combs = (id: string, value: string, ...texts: string[]): ReadingCase =>
  comb(id, drawn(...texts), { text_contains: [value] });

const COMBS: ReadingCase[] = [
  combs('letters', 'LINDQVIST', at(50, 700, 'Surname', 11), boxed(110, 700, 'LINDQVIST')),
  combs('narrow-and-wide-letters', 'WILLIMINTI', at(50, 700, 'Name', 11), boxed(110, 700, 'WILLIMINTI')),
  combs('digits', '48271935', at(50, 700, 'Number', 11), boxed(110, 700, '48271935')),
  combs('empty-box', 'ANNA LEE', at(50, 700, 'Name', 11), boxed(110, 700, 'ANNA LEE')),
  combs('date', '12 03 1987', boxed(110, 700, '12'), boxed(150, 700, '03'), boxed(190, 700, '1987')),
  combs('wide-boxes', 'QVIST48', boxed(110, 700, 'QVIST48', 20)),
  combs('account', 'DE89370400440532013000', boxed(50, 700, 'DE89370400440532013000')),
  combs(
    'from-the-left',
    'LINDQVIST',
    ...Array.from('LINDQVIST', (one, n) => at(110 + n * BOX, 700, one, 11)),
  ),
  comb('two-fields', drawn(boxed(110, 700, 'LINDQVIST'), boxed(110, 670, 'MINSTED')), {
    text_contains: ['LINDQVIST', 'MINSTED'],
  }),
  comb(
    'digits-in-table',
    drawn(...[700, 682, 664].map((y, row) => boxed(110, y, ['1234', '5678', '2468'][row]!, 30))),
    {
      text_lacks: ['12', '34', '56', '24'],
    },
  ),
];

/** Cases that are read without a search. */
export const READ_PDFS = [...ACTUAL_TEXTS, ...COLUMNS, ...COMBS];

export const OWN_PDFS = [...TWICE, ...SPACED, ...FORMS];
