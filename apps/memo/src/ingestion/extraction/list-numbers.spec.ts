import { DOCX, type MediaType, ODT, PPTX } from '../../tables/media-type';
import { builtThread, textOf } from '../extraction-thread/extraction-thread.fixture';
import { docx } from './docx/docx.fixture';
import { odt, pptx, relations } from './office/office.fixture';

type Case = [name: string, content: string | Buffer, text: string];

const extractor = builtThread();
afterAll(() => extractor.close());

const reads = (mediaType: MediaType, cases: Case[]): void =>
  it.each(cases)('%s', async (_name, content, text) => {
    expect(await textOf(extractor, content, mediaType)).toBe(text);
  });

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
/** A level of a list: its format, its text, and further properties. */
type Level = [format: string, text: string, more?: string, start?: number];
const level = ([format, text, more = '', start = 1]: Level, n: number): string =>
  `<w:lvl w:ilvl="${n}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
const list = (...levels: Level[]): string => levels.map(level).join('');
const definitions = (lists: Record<number, string>): string =>
  Object.entries(lists)
    .map(([id, inner]) => `<w:abstractNum w:abstractNumId="${id}">${inner}</w:abstractNum>`)
    .join('');
const num = (id: number, of: number, override = ''): string =>
  `<w:num w:numId="${id}"><w:abstractNumId w:val="${of}"/>${override}</w:num>`;
const numPr = (id: number, depth = 0): string =>
  `<w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="${id}"/></w:numPr>`;
const p = (properties: string, text: string): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
const item = (text: string, id = 1, depth = 0): string => p(numPr(id, depth), text);
const styled = (style: string, text: string, more = ''): string =>
  p(`<w:pStyle w:val="${style}"/>${more}`, text);
const style = (id: string, inner: string): string =>
  `<w:style w:type="paragraph" w:styleId="${id}">${inner}</w:style>`;

/** A DOCX with one list of the given levels, or with the given parts of numbering. */
function numbered(body: string, numbering: Level[] | string, styles = ''): Buffer {
  const inner =
    typeof numbering === 'string' ? numbering : definitions({ 0: list(...numbering) }) + num(1, 0);
  return docx(body, [
    relations('word/document.xml', [
      ['numbering', 'numbering.xml'],
      ['styles', 'styles.xml'],
    ]),
    { name: 'word/numbering.xml', data: `<w:numbering ${W}>${inner}</w:numbering>` },
    { name: 'word/styles.xml', data: `<w:styles ${W}>${styles}</w:styles>` },
  ]);
}

const inFormat = (format: string, start: number, text = '%1.'): Buffer =>
  numbered(item('x'), [[format, text, '', start]]);

const LEGAL: Level[] = [
  ['decimal', '%1.'],
  ['decimal', '%1.%2'],
  ['lowerLetter', '(%3)'],
  ['lowerRoman', '%4)'],
];

describe('numbers of lists in DOCX', () => {
  reads(DOCX, [
    [
      'counts',
      numbered(item('a') + item('b') + p('', 'between') + item('c'), LEGAL),
      '1. a\n2. b\n\nbetween\n\n3. c',
    ],
    [
      'counts in levels',
      numbered(
        item('a') +
          item('b', 1, 1) +
          item('c', 1, 2) +
          item('d', 1, 2) +
          item('e', 1, 3) +
          item('f', 1, 1) +
          item('g') +
          item('h', 1, 1),
        LEGAL,
      ),
      '1. a\n  1.1 b\n    (a) c\n    (b) d\n      i) e\n  1.2 f\n2. g\n  2.1 h',
    ],
    [
      'writes legal numbers in digits',
      numbered(item('Scope') + item('a', 1, 1), [
        ['upperRoman', 'Artikel %1'],
        ['decimal', '%1.%2', '<w:isLgl/>'],
      ]),
      'Artikel I Scope\n  1.1 a',
    ],
    [
      'counts a level whose parent has not been used',
      numbered(item('a', 1, 1) + item('b', 1, 1), LEGAL),
      '  1.1 a\n  1.2 b',
    ],
    [
      'finds the level of a style, through the style it is based on',
      numbered(
        styled('H1', 'One') + styled('H2', 'Two') + styled('Own', 'Three'),
        [
          ['decimal', '%1', '<w:pStyle w:val="H1"/>'],
          ['decimal', '%1.%2', '<w:pStyle w:val="H2"/>'],
        ],
        style('H1', '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="0"/></w:pPr>') +
          style(
            'H2',
            '<w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="1"/></w:pPr>',
          ) +
          style('Own', '<w:basedOn w:val="H2"/>'),
      ),
      '1 One\n\n1.1 Two\n\n1.2 Three',
    ],
    [
      'knows the end of the numbering of a style',
      numbered(
        styled('L', 'a') + styled('L', 'plain', '<w:numPr><w:numId w:val="0"/></w:numPr>') + styled('L', 'b'),
        LEGAL,
        style('L', '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'),
      ),
      '1. a\n\nplain\n\n2. b',
    ],
    [
      'counts lists of one definition together until one starts anew',
      numbered(
        item('a') + item('b', 2) + item('c', 3) + item('d', 3) + item('e', 1),
        definitions({ 0: list(...LEGAL) }) +
          num(1, 0) +
          num(2, 0) +
          num(3, 0, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>'),
      ),
      '1. a\n2. b\n7. c\n8. d\n9. e',
    ],
    [
      'replaces a level of a definition',
      numbered(
        item('a') + item('b', 2),
        definitions({ 0: list(...LEGAL) }) +
          num(1, 0) +
          num(2, 0, `<w:lvlOverride w:ilvl="0">${level(['upperLetter', '§ %1'], 0)}</w:lvlOverride>`),
      ),
      '1. a\n§ B b',
    ],
    [
      'goes on where a level does not start anew',
      numbered(item('a') + item('b', 1, 1) + item('c') + item('d', 1, 1), [
        ['decimal', '%1.'],
        ['decimal', 'Clause %2:', '<w:lvlRestart w:val="0"/>'],
      ]),
      '1. a\n  Clause 1: b\n2. c\n  Clause 2: d',
    ],
    [
      'starts anew only below the named level',
      numbered(
        item('a') +
          item('b', 1, 1) +
          item('c', 1, 2) +
          item('d', 1, 1) +
          item('e', 1, 2) +
          item('f') +
          item('g', 1, 2),
        [
          ['decimal', '%1.'],
          ['decimal', '%2.'],
          ['decimal', '%3)', '<w:lvlRestart w:val="1"/>'],
        ],
      ),
      '1. a\n  1. b\n    1) c\n  2. d\n    2) e\n2. f\n    1) g',
    ],
    [
      'does not count deleted and hidden paragraphs',
      numbered(
        item('a') +
          `<w:p><w:pPr>${numPr(1)}<w:rPr><w:del w:id="1"/></w:rPr></w:pPr><w:del w:id="2"><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>` +
          `<w:p><w:pPr>${numPr(1)}<w:rPr><w:vanish/></w:rPr></w:pPr><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>` +
          item('b'),
        LEGAL,
      ),
      '1. a\n2. b',
    ],
    [
      'writes text around a number on one line, without invisible characters',
      numbered(item('a'), [['decimal', ' &#10;§\u200b %1&#9;.']]),
      '§ 1 . a',
    ],
    [
      'does not write the number of a paragraph of invisible characters before the next one',
      numbered(item('a') + item('\u200b\u00ad\u200f') + p('', 'Plain paragraph') + item('c'), LEGAL),
      '1. a\n\nPlain paragraph\n\n3. c',
    ],
    [
      'reads no text of a level with more numbers than there are levels',
      numbered(item('a') + item('b', 1, 1), [
        ['decimal', '%1'.repeat(9)],
        ['decimal', '%2'.repeat(10)],
      ]),
      '111111111 a\n\nb',
    ],
    ['counts an empty paragraph', numbered(item('a') + item('') + item('c'), LEGAL), '1. a\n3. c'],
    [
      'counts through the cells of a table',
      numbered(
        `<w:tbl><w:tr><w:tc>${item('a')}</w:tc><w:tc>${item('b')}</w:tc></w:tr></w:tbl>${item('c')}`,
        LEGAL,
      ),
      '1. a | 2. b\n\n3. c',
    ],
    [
      'reads the numbers of the rows of a table',
      numbered(
        `<w:tbl><w:tr><w:tc>${item('')}</w:tc><w:tc>${p('', 'a')}</w:tc></w:tr><w:tr><w:tc>${item('')}</w:tc><w:tc>${p('', 'b')}</w:tc></w:tr></w:tbl>`,
        LEGAL,
      ),
      '1. | a\n2. | b',
    ],
    [
      'joins a paragraph whose end was deleted with the next one',
      numbered(
        item('a') +
          `<w:p><w:pPr>${numPr(1)}<w:rPr><w:del w:id="1"/></w:rPr></w:pPr><w:r><w:t xml:space="preserve">b </w:t></w:r></w:p>` +
          item('c') +
          item('d'),
        LEGAL,
      ),
      '1. a\n2. b c\n3. d',
    ],
    [
      'leaves out numbers that a level hides, and pads those of an own format',
      numbered(item('a') + item('b', 1, 1) + item('c', 1, 1), [
        ['decimal', '%1.', '<w:rPr><w:vanish/></w:rPr>'],
        ['custom" w:format="001, 002, 003, ...', 'R%2'],
      ]),
      'a\n\n  R001 b\n  R002 c',
    ],
    [
      'parts the number from the text as the level says',
      numbered(item('总则') + item('范围', 1, 1) + item('x', 1, 2), [
        ['chineseCountingThousand', '第%1章', '<w:suff w:val="nothing"/>'],
        ['chineseCounting', '%2、', '<w:suff w:val="nothing"/>'],
        ['decimal', '%3)', '<w:suff w:val="space"/>'],
      ]),
      '第一章总则\n  一、范围\n    1) x',
    ],
    [
      'follows the links of a list to the definition of its style',
      numbered(
        item('a', 2),
        definitions({
          0: '<w:numStyleLink w:val="S"/>',
          1: `<w:styleLink w:val="S"/>${list(['upperRoman', '%1:'])}`,
        }) +
          num(1, 1) +
          num(2, 0),
        '<w:style w:type="numbering" w:styleId="S"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>',
      ),
      'I: a',
    ],
    [
      'marks bullets as other formats do, and reads a label without a number',
      numbered(item('a') + item('b', 1, 1) + item('c', 1, 2), [
        ['bullet', '\uf0b7'],
        ['none', 'Note:'],
        ['none', ''],
      ]),
      '- a\n  Note: b\n\nc',
    ],
  ]);
});

describe('formats of numbers in DOCX', () => {
  reads(
    DOCX,
    (
      [
        ['decimalZero', 7, '07'],
        ['decimalZero', 12, '12'],
        ['upperLetter', 28, 'BB'],
        ['lowerLetter', 26, 'z'],
        ['lowerRoman', 1994, 'mcmxciv'],
        ['ordinal', 22, '22nd'],
        ['ordinal', 112, '112th'],
        ['cardinalText', 42, 'Forty-two'],
        ['ordinalText', 21, 'Twenty-first'],
        ['hex', 255, 'FF'],
        ['decimalEnclosedCircle', 3, '③'],
        ['decimalFullWidth', 12, '１２'],
        ['numberInDash', 4, '- 4 -'],
        ['chineseCounting', 21, '二十一'],
        ['chineseCountingThousand', 1005, '一千零五'],
        ['japaneseCounting', 1005, '千五'],
        ['chineseLegalSimplified', 15, '壹拾伍'],
        ['ideographTraditional', 2, '乙'],
        ['ideographZodiac', 3, '寅'],
        ['ideographDigital', 10, '一〇'],
        ['aiueoFullWidth', 6, 'カ'],
        ['iroha', 3, 'ﾊ'],
        ['koreanCounting', 11, '십일'],
        ['ganada', 2, '나'],
        ['russianLower', 2, 'б'],
        ['hebrew1', 15, 'טו'],
        ['arabicAlpha', 2, 'ب'],
        ['hindiNumbers', 12, '१२'],
        ['thaiNumbers', 5, '๕'],
      ] as const
    ).map(([format, start, shown]): Case => [
      `${format} ${start}`,
      inFormat(format, start, '%1'),
      `${shown} x`,
    ]),
  );
});

describe('numbers of lists in other formats', () => {
  const t = (text: string, more = ''): string =>
    `<text:list-item${more}><text:p>${text}</text:p></text:list-item>`;
  const l = (inner: string, more = ''): string =>
    `<text:list text:style-name="L"${more}>${inner}</text:list>`;
  const styles =
    '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" style:num-prefix="(" style:num-suffix=")" text:display-levels="2"/></text:list-style>';
  reads(ODT, [
    ['counts', odt(l(t('a') + t('b')), { styles }), '1. a\n2. b'],
    [
      'counts from a number of an item',
      odt(l(t('a') + t('b', ' text:start-value="5"') + t('c')), { styles }),
      '1. a\n5. b\n6. c',
    ],
    [
      'goes on with an earlier list',
      odt(l(t('a')) + '<text:p>x</text:p>' + l(t('b'), ' text:continue-numbering="true"'), { styles }),
      '1. a\n\nx\n\n2. b',
    ],
    [
      'starts anew in another list',
      odt(l(t('a')) + '<text:p>x</text:p>' + l(t('b')), { styles }),
      '1. a\n\nx\n\n1. b',
    ],
    [
      'counts in levels',
      odt(l(`<text:list-item><text:p>a</text:p><text:list>${t('b')}${t('c')}</text:list></text:list-item>`), {
        styles,
      }),
      '1. a\n  (1.a) b\n  (1.b) c',
    ],
    [
      'reads the text around numbers as newer programs write it',
      odt(l(`<text:list-item><text:p>a</text:p><text:list>${t('b')}</text:list></text:list-item>`), {
        styles:
          '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="I"/><text:list-level-style-number text:level="2" style:num-format="a" text:display-levels="2" xmlns:loext="l" loext:num-list-format="§ %1%-%2%:"/></text:list-style>',
      }),
      'I a\n  § I-a: b',
    ],
    [
      'knows as many lists as those of DOCX',
      odt(
        Array.from({ length: 20_000 }, (_, n) => `<text:list xml:id="i${n}"/>`).join('') +
          l(t('a'), ' xml:id="a"') +
          '<text:p>x</text:p>' +
          l(t('b'), ' text:continue-list="a"'),
        { styles },
      ),
      '1. a\n\nx\n\n1. b',
    ],
    [
      'numbers its headings',
      odt(
        '<text:h text:outline-level="1">One</text:h><text:h text:outline-level="2">Two</text:h><text:h text:outline-level="1" text:is-list-header="true">Plain</text:h><text:h text:outline-level="1" text:style-name="N">Bare</text:h>',
        {
          styles: '<style:style style:name="N" style:list-style-name=""/>',
          common:
            '<text:outline-style style:name="Outline"><text:outline-level-style text:level="1" style:num-format="1" style:num-suffix="."/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>',
        },
      ),
      '1. One\n\n1.1 Two\n\nPlain\n\nBare',
    ],
  ]);
  const line = (text: string, properties: string) =>
    `<a:p><a:pPr${properties}</a:pPr><a:r><a:t>${text}</a:t></a:r></a:p>`;
  const auto = (type: string, more = '') => `><a:buAutoNum type="${type}"${more}/>`;
  const slide = (...lines: string[]) =>
    pptx([`<p:sp><p:nvSpPr/><p:txBody>${lines.join('')}</p:txBody></p:sp>`]);
  reads(PPTX, [
    [
      'counts',
      slide(
        line('a', auto('arabicPeriod')),
        line('x', ` lvl="1"${auto('alphaLcParenBoth')}`),
        line('b', auto('arabicPeriod')),
        line('y', ` lvl="1"${auto('alphaLcParenBoth')}`),
      ),
      '1. a\n(a) x\n2. b\n(a) y',
    ],
    [
      'counts from a start',
      slide(
        line('a', auto('romanUcPeriod', ' startAt="4"')),
        line('b', auto('romanUcPeriod', ' startAt="4"')),
      ),
      'IV. a\nV. b',
    ],
    [
      'counts as the shape says',
      slide(
        '<a:lstStyle><a:lvl1pPr><a:buAutoNum type="alphaUcPeriod"/></a:lvl1pPr></a:lstStyle>',
        line('a', '>'),
        line('', '>'),
        line('b', '>'),
        line('c', '><a:buNone/>'),
      ),
      'A. a\nB. b\nc',
    ],
    [
      'does not write the number of a paragraph of invisible characters before the next one',
      slide(line('a', auto('arabicPeriod')), line('\u200b', auto('arabicPeriod')), line('b', '>')),
      '1. a\nb',
    ],
    [
      'starts anew behind a plain paragraph',
      slide(line('a', auto('arabicParenR')), line('b', '>'), line('c', auto('arabicParenR'))),
      '1) a\nb\n1) c',
    ],
  ]);
  reads('text/html', [
    [
      'counts as the style of the list says',
      '<ol style="margin:0;list-style-type:lower-alpha"><li>x<li>y</ol><ol style="list-style:upper-roman inside"><li>x</ol><ol style="LIST-STYLE: none"><li>x</ol><ul style="list-style-type:decimal"><li>x</ul>',
      'a. x\nb. y\n\nI. x\n\n- x\n\n1. x',
    ],
    [
      'keeps the numbers of lists in a table',
      '<table><tr><td><ol start=4><li>x</ol><td>y</table>',
      '4. x | y',
    ],
  ]);
  const rtf = (body: string) =>
    `{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}{\\f1\\fcharset2 Symbol;}}${body}}`;
  reads('application/rtf', [
    [
      'reads the numbers of a list',
      rtf('{\\listtext\\pard\\plain 1.\\tab}\\ls1\\ilvl0 a\\par{\\listtext 2.\\tab}b\\par\\pard c'),
      '1. a\n2. b\n\nc',
    ],
    [
      'reads the numbers of an old list',
      rtf('{\\pntext\\f0 (i)\\tab}{\\*\\pn\\pnlvlbody\\pnlcrm{\\pntxta )}}a\\par'),
      '(i) a',
    ],
    [
      'ends the number of a paragraph that does not end itself',
      rtf('intro\\par {\\listtext 1.\\tab first\\par second\\par third\\par'),
      'intro\n\n1. first\n\nsecond\n\nthird',
    ],
    [
      'reads a number that is no group of its own',
      rtf('\\pntext 1.\\tab first\\par second {\\footnote\\pntext 2.\\tab note}goes on'),
      '1. first\n\nsecond goes on [2. note]',
    ],
    [
      'reads a number and a note to the end of a file that is cut off',
      rtf('a{\\footnote note\\par{\\listtext 1.\\tab x').slice(0, -1),
      'a [note 1. x]',
    ],
    [
      'keeps the number of a paragraph that begins with a page break',
      rtf('{\\listtext 8.\\tab}\\page x\\par'),
      '8. x',
    ],
    [
      'marks bullets as other formats do',
      rtf("{\\listtext\\f1\\'b7\\tab}a\\par{\\listtext\\f1\\'b7\\tab}b"),
      '- a\n- b',
    ],
  ]);
});
