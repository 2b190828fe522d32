import { DOCX, type MediaType } from '../../tables/media-type';
import { builtThread, textOf } from '../extraction-thread/extraction-thread.fixture';
import { docx, docxOf, footnotes, HEAD, item, noteMark, paragraph, table, TAIL } from './docx/docx.fixture';
import { CHINESE, encoded, JAPANESE, KOREAN, RUSSIAN, TRADITIONAL, utf16be } from './encodings.fixture';
import {
  cjkFont,
  FONT_WITH_OWN_MAP,
  onePage,
  ownMap,
  pdfkit,
  pdfOf,
  shown,
  shownHex,
} from './pdf/pdf.fixture';
import { TextEscapes } from './text/text-escapes';

type Case = [name: string, content: () => string | Buffer | Promise<Buffer>, text: string];

const BOM = '\ufeff';
const extractor = builtThread();
afterAll(() => extractor.close());

function reads(mediaType: MediaType, cases: Case[]): void {
  it.each(cases)('%s', async (_name, content, text) => {
    expect(await textOf(extractor, await content(), mediaType)).toBe(text);
  });
}

describe('plain text', () => {
  const sent =
    ' \tIndented,  two spaces  \n\n\n\nthen e\u0301 not composed, \u200bzero width, \u00a0hard,\tnext line';

  reads('text/plain', [
    ['stays as it was sent', () => `${sent} \n`, sent],
    [
      'has newlines at the ends of lines',
      () => 'a\r\nb\rc\r\r\nd\n\re\u0085f\u000bg\u2028h',
      'a\nb\nc\n\nd\n\ne\nf\ng\nh',
    ],
    [
      'loses control characters',
      () => 'a\0b\u0007c\u001bd\u007fe\tf and more of it, so that it is text',
      'abcde\tf and more of it, so that it is text',
    ],
    [
      'that looks like the source of a PDF',
      () => '%PDF-1.7 is how they begin.',
      '%PDF-1.7 is how they begin.',
    ],
    ['with a byte order mark', () => `${BOM}a${BOM}b`, `a${BOM}b`],
    ['UTF-16, marked', () => Buffer.from(`${BOM}${CHINESE}😀`, 'utf16le'), `${CHINESE}😀`],
    ['UTF-16, big-endian, marked', () => utf16be(`${BOM}${CHINESE}`), CHINESE],
    [
      'UTF-16 without a mark',
      () => Buffer.from(`${'Plain words. '.repeat(9)}é`, 'utf16le'),
      `${'Plain words. '.repeat(9)}é`,
    ],
    [
      'UTF-16 with a lone surrogate',
      () =>
        Buffer.concat([
          Buffer.from(`${BOM}one `, 'utf16le'),
          Buffer.from([0, 0xd8]),
          Buffer.from(' two', 'utf16le'),
        ]),
      'one \ufffd two',
    ],
    [
      'JSON Lines, with the characters and lines that its escapes mean',
      () =>
        '{"text": "\\u9000\\u6b3e M\\u00fcller\\nlamp\\tC:\\\\new \\"\\ud83d\\ude00\\""}\n{"n": -1.5e3}\n',
      '{"text": "退款 Müller\nlamp\tC:\\new "😀""}\n{"n": -1.5e3}',
    ],
    ['source code that looks like JSON', () => '{ a: "x\\ny" }', '{ a: "x\\ny" }'],
    [
      'XML, with its references',
      () => '<?xml version="1.0"?><a>M&#252;ller &#x9000; R&amp;D</a>',
      '<?xml version="1.0"?><a>Müller 退 R&D</a>',
    ],
    [
      'a calendar, without the folds of its lines',
      () => 'BEGIN:VCALENDAR\r\nSUMMARY:Bring lap\r\n tops\\nroom five\\, left\r\nEND:VCALENDAR',
      'BEGIN:VCALENDAR\nSUMMARY:Bring laptops\nroom five, left\nEND:VCALENDAR',
    ],
    ['GB 18030, one sentence', () => encoded(CHINESE, 'gb18030'), CHINESE],
    ['GB 18030, four characters', () => encoded('退款政策', 'gb18030'), '退款政策'],
    ['Big5', () => encoded(TRADITIONAL, 'big5'), TRADITIONAL],
    ['Shift JIS', () => encoded(JAPANESE, 'shift_jis'), JAPANESE],
    ['EUC-KR', () => encoded(KOREAN, 'euc-kr'), KOREAN],
    ['windows-1251', () => encoded(RUSSIAN, 'windows-1251'), RUSSIAN],
    [
      'windows-1252, its quotes and its euro too',
      () => Buffer.from('L\x92h\xf4tel co\xfbte 20 \x80, c\x92est cher.', 'latin1'),
      'L’hôtel coûte 20 €, c’est cher.',
    ],
    [
      'UTF-8 that ends in the middle of a character',
      () => Buffer.from(CHINESE).subarray(0, -1),
      `${CHINESE.slice(0, -1)}\ufffd`,
    ],
  ]);

  it('is the same across the boundaries of its slices', async () => {
    const mebibyte = 1024 * 1024;
    const text = `${'x'.repeat(mebibyte - 1)}\r\n${'y'.repeat(mebibyte - 3)}退😀z`;
    expect(await textOf(extractor, text, 'text/plain')).toBe(text.replace('\r', ''));
    const utf16 = `${'x'.repeat(mebibyte / 2 - 2)}😀z`;
    expect(await textOf(extractor, Buffer.from(BOM + utf16, 'utf16le'), 'text/plain')).toBe(utf16);
  });
});

it.each([
  `["${'kettle", "'.repeat(2_000)}a\\ud83d\\ude00b\\\\nc\\nd\\""]`,
  '<?xml version="1.0"?>\n<a>&#252;&amp;&#x9000;& b',
  'BEGIN:VCARD\r\nNOTE:one\r\n two\\, three\\n\r\n four',
])('resolves escapes wherever a text is cut: %.30s', (text) => {
  const whole = new TextEscapes().read(text, true);
  expect(whole).not.toBe(text);
  for (let at = Math.max(21, text.length - 40); at < text.length; at++) {
    const escapes = new TextEscapes();
    expect(escapes.read(text.slice(0, at), false) + escapes.read(text.slice(at), true)).toBe(whole);
  }
});

describe('HTML', () => {
  reads('text/html', [
    [
      'that is hidden is left out',
      () =>
        `<!doctype html><title>T</title><script>bad()</script><style>bad{}</style><!-- bad --><p>one</p><div hidden>bad</div><p style="color:red; display : none">bad<b>bad</b></p><template>bad</template><p>two<svg><text display="none">bad</text></svg><span style="font-size:0px">bad</span>`,
      'one\n\ntwo',
    ],
    [
      'with a table, lists, code',
      () =>
        '<h2>Head</h2><table><tr><th>a<th>b</tr><tr><td>1<td><p>2</p></td></tr></table><ul><li>x<li><p>y</p></ul><pre>  q\n   r</pre>',
      'Head\n\na | b\n1 | 2\n\n- x\n- y\n\n  q\n   r',
    ],
    [
      'with lists in a table',
      () =>
        '<table><tr><td>a<td><ul><li>b<li>c</ul><td>d</tr><tr><td><ol><li>e</ol><td>f</tr></table><ul><li>g</ul>',
      'a | b c | d\n1. e | f\n\n- g',
    ],
    ['that declares its encoding', () => encoded(`<meta charset="gbk"><p>${CHINESE}`, 'gbk'), CHINESE],
    ['that declares a wrong one', () => `<meta charset="iso-8859-1"><p>${CHINESE}`, CHINESE],
    ['15,000 elements deep', () => `${'<div>'.repeat(15_000)}deep${'</div>'.repeat(15_000)}`, 'deep'],
  ]);
});

describe('Markdown', () => {
  reads('text/markdown', [
    [
      'of all kinds',
      () =>
        '---\ntitle: Front\n---\n# Head\n\nText *em* [link][r]  \nsecond <b>raw</b>\n\n<div hidden>bad</div>\n\n<!-- bad -->\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nx  = 1;\n```\n\n- i\n  - j\n\n[r]: http://x.org',
      'Head\n\nText em link\nsecond raw\n\na | b\n1 | 2\n\nx  = 1;\n\n- i\n  - j',
    ],
    [
      'with notes',
      () =>
        'Refunds[^1] take a [week],[^2] no more.\n\n[^1]: Within 30 days.\n[^2]: Usually\n\n[week]: http://x.org',
      'Refunds[^1] take a week,[^2] no more.\n\n[^1]: Within 30 days.\n\n[^2]: Usually',
    ],
  ]);
});

describe('DOCX', () => {
  const changes =
    '<w:p><w:r><w:t>keep</w:t></w:r><w:del><w:r><w:delText>bad</w:delText></w:r></w:del><w:r><w:rPr><w:vanish/></w:rPr><w:t>bad</w:t></w:r><w:r><w:tab/><w:t>tab</w:t><w:br/><w:t>line &amp; &#x4e2d;</w:t></w:r></w:p>';
  const box =
    '<w:p><mc:AlternateContent><mc:Choice><w:r><w:t>box</w:t></w:r></mc:Choice><mc:Fallback><w:r><w:t>bad</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>';

  reads(DOCX, [
    [
      'with paragraphs, lists, a table and notes',
      () =>
        docx(
          paragraph('One ') +
            item('first') +
            item('second') +
            paragraph(CHINESE) +
            table([
              ['a', 'b'],
              ['1', '2'],
            ]),
          [footnotes('A note.')],
        ),
      `One\n\n- first\n- second\n\n${CHINESE}\n\na | b\n1 | 2\n\nA note.`,
    ],
    [
      'with a note where its mark stands',
      () =>
        docx(paragraph(`The fee is 5%${noteMark}, paid at once.`) + paragraph('Next.'), [
          footnotes('As agreed.'),
        ]),
      'The fee is 5%, paid at once. [As agreed.]\n\nNext.',
    ],
    [
      'with a list in a table',
      () => docx(table([['a', 'b', 'c']]).replace(paragraph('b'), item('b') + item('d')) + item('e')),
      'a | b d | c\n\n- e',
    ],
    ['with changes, hidden text, a text box', () => docx(changes + box), 'keep tab\nline & 中\n\nbox'],
    [
      'in UTF-16',
      () =>
        docxOf({
          data: Buffer.from(
            `${BOM}${HEAD.replace('UTF-8', 'UTF-16')}${paragraph(CHINESE)}${TAIL}`,
            'utf16le',
          ),
        }),
      CHINESE,
    ],
  ]);
});

describe('PDF', () => {
  const withPassword = (pdfVersion: PDFKit.PDFDocumentOptions['pdfVersion']) => () =>
    pdfkit({ pdfVersion, ownerPassword: 'x', permissions: {} }, (d) => d.text('Readable.'));
  const chinese = '退款政策自签收之日起';
  const columns = (d: PDFKit.PDFDocument) => {
    const line = (text: string, x: number, y: number) => d.text(text, x, y, { lineBreak: false });
    d.fontSize(10);
    line('The left column goes on with infor-', 50, 100);
    line('mation about refunds and a sentence', 50, 112);
    line('that ends in the right column of the', 50, 124);
    line('same page. It ends here.', 320, 100);
  };

  reads('application/pdf', [
    [
      'of two pages with paragraphs',
      () =>
        pdfkit({}, (d) =>
          d
            .fontSize(20)
            .text('Heading')
            .moveDown()
            .fontSize(11)
            .text('First. '.repeat(40))
            .moveDown()
            .text('Second.')
            .addPage()
            .text('Page two.'),
        ),
      `Heading\n\n${'First. '.repeat(40).trim()}\n\nSecond.\n\nPage two.`,
    ],
    [
      'with columns and a broken word',
      () => pdfkit({}, columns),
      'The left column goes on with information about refunds and a sentence that ends in the right column of the same page. It ends here.',
    ],
    [
      'in GBK, by a predefined map',
      () => onePage(shownHex(encoded(chinese, 'gbk')), { font: cjkFont('GBK-EUC-H', 'GB1') }),
      chinese,
    ],
    [
      'in UCS-2, by a predefined map',
      () => onePage(shownHex(utf16be(chinese)), { font: cjkFont('UniGB-UCS2-H', 'GB1') }),
      chinese,
    ],
    [
      'in Shift JIS, by a predefined map',
      () =>
        onePage(shownHex(encoded('返品は七日以内', 'shift_jis')), { font: cjkFont('90ms-RKSJ-H', 'Japan1') }),
      '返品は七日以内',
    ],
    ['with an owner password, RC4', withPassword('1.3'), 'Readable.'],
    ['with an owner password, AES-256', withPassword('1.7ext3'), 'Readable.'],
    [
      'with ligatures of its own',
      () =>
        onePage(shownHex(Buffer.from([1, 2])), {
          font: FONT_WITH_OWN_MAP,
          more: {
            6: ownMap([
              ['01', 'FB01'],
              ['02', '006E0061'],
            ]),
          },
        }),
      'fina',
    ],
    [
      'with scripts and an attachment',
      () =>
        onePage(shown('Plain.'), {
          root: '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> /Names << /EmbeddedFiles << /Names [(x) << /Type /Filespec /F (x.exe) /EF << /F 6 0 R >> >>] >> >>',
          more: { 6: ['/Type /EmbeddedFile', 'bad'] },
        }),
      'Plain.',
    ],
    ['whose offsets are wrong', () => onePage(shown('Found.'), { xref: 'wrong' }), 'Found.'],
    [
      'that claims 9,000 pages and has one',
      () =>
        pdfOf({
          1: '<< /Type /Catalog /Pages 2 0 R >>',
          2: '<< /Type /Pages /Kids [3 0 R] /Count 9000 >>',
          3: '<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >>',
          4: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
          5: ['', shown('One.')],
        }),
      'One.',
    ],
  ]);
});
