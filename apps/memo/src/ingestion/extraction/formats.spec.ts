import { EPUB, type MediaType, MSG, ODT, PPTX, XLSX } from '../../tables/media-type';
import { builtThread, textOf } from '../extraction-thread/extraction-thread.fixture';
import { docx, paragraph } from './docx/docx.fixture';
import { CHINESE, encoded, RUSSIAN } from './encodings.fixture';
import { attachment, endless, msg, recipient } from './mail/msg.fixture';
import { epub, odt, pptx, relations, row, shape, sheetPart, slidePart, xlsx } from './office/office.fixture';

type Case = [name: string, content: () => string | Buffer, text: string];
type Refusal = [name: string, content: () => string | Buffer, code: string, message: RegExp];

const extractor = builtThread();
afterAll(() => extractor.close());

const reads = (mediaType: MediaType, cases: Case[]): void =>
  it.each(cases)('%s', async (_name, content, text) => {
    expect(await textOf(extractor, content(), mediaType)).toBe(text);
  });

const refuses = (mediaType: MediaType, cases: Refusal[]): void =>
  it.each(cases)('refuses one %s', async (_name, content, code, message) => {
    await expect(textOf(extractor, content(), mediaType)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
  });

describe('XLSX', () => {
  const cell = (attributes: string, value: string) => `<c ${attributes}><v>${value}</v></c>`;
  const styles = (...ids: number[]) =>
    `<cellXfs>${ids.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs>`;
  const formatted = (code: string, value: string, options = {}) =>
    xlsx([['name="S"', `<row>${cell('s="0"', value)}</row>`]], {
      styles: `<numFmts><numFmt numFmtId="164" formatCode="${code}"/></numFmts>${styles(164)}`,
      ...options,
    });

  reads(XLSX, [
    [
      'of two sheets in the order of their tabs',
      () =>
        xlsx([
          ['name="Prices"', row('Item', 'Price') + row('Kettle', '12')],
          ['name="Stock"', row('Item') + row('Lamp')],
        ]),
      'Prices\n\nItem | Price\nKettle | 12\n\nStock\n\nItem\nLamp',
    ],
    [
      'with shared strings of several runs, without their readings',
      () =>
        xlsx([['name="S"', `<row>${cell('t="s"', '1')}${cell('t="s"', '0')}</row>`]], {
          strings:
            '<si><t>plain</t></si><si><r><t>two </t></r><r><t>runs 課</t></r><rPh sb="0" eb="1"><t>カ</t></rPh></si>',
        }),
      'S\n\ntwo runs 課 | plain',
    ],
    [
      'with empty cells between filled ones',
      () => xlsx([['name="S"', `<row>${cell('r="B2" t="str"', 'b')}${cell('r="E2" t="str"', 'e')}</row>`]]),
      'S\n\nb | | | e',
    ],
    [
      'with truths, faults and the result of a formula',
      () =>
        xlsx([
          [
            'name="S"',
            `<row>${cell('t="b"', '1')}${cell('t="e"', '#DIV/0!')}<c t="str"><f>A1&amp;"x"</f><v>done</v></c></row>`,
          ],
        ]),
      'S\n\nTRUE | #DIV/0! | done',
    ],
    [
      'with numbers as people typed them',
      () =>
        xlsx([
          [
            'name="S"',
            `<row>${['0.30000000000000004', '1250000', '12345678901234', '1E-7', '-4.5'].map((n) => cell('', n)).join('')}</row>`,
          ],
        ]),
      'S\n\n0.3 | 1250000 | 12345678901234 | 1e-7 | -4.5',
    ],
    [
      'with a date, a time, a share, a sum of money',
      () =>
        xlsx(
          [
            [
              'name="S"',
              `<row>${cell('s="0"', '45000')}${cell('s="1"', '0.5')}${cell('s="2"', '0.256')}${cell('s="3"', '1234.5')}</row>`,
            ],
          ],
          { styles: styles(14, 20, 10, 4) },
        ),
      'S\n\n2023-03-15 | 12:00 | 25.60% | 1,234.50',
    ],
    ['with a date in a form of its own', () => formatted('dd/mm/yyyy', '45000'), 'S\n\n15/03/2023'],
    [
      'whose dates count from 1904',
      () => formatted('yyyy-mm-dd', '43538', { workbook: '<workbookPr date1904="1"/>' }),
      'S\n\n2023-03-15',
    ],
    ['with a unit', () => formatted('0.0 &quot;kg&quot;', '3.25'), 'S\n\n3.3 kg'],
    ['with a number that its format hides', () => formatted(';;;', '77'), 'S\n\n77'],
    ['with a broken format', () => formatted('[[[', '77'), 'S\n\n77'],
    [
      'without its hidden sheet',
      () =>
        xlsx([
          ['name="Shown"', row('seen')],
          ['name="Other" state="hidden"', row('unseen')],
          ['name="More" state="veryHidden"', row('unseen')],
        ]),
      'Shown\n\nseen',
    ],
    [
      'with a comment and a text box',
      () =>
        xlsx([['name="S"', row('cell')]], {
          more: [
            relations('xl/worksheets/sheet0.xml', [
              ['comments', '../comments1.xml'],
              ['drawing', '../drawings/d.xml'],
            ]),
            sheetPart(
              'comments1.xml',
              'comments',
              '<commentList><comment ref="B2"><text><r><t>Check this.</t></r></text></comment></commentList>',
            ),
            sheetPart(
              'drawings/d.xml',
              'wsDr',
              '<sp><txBody><a:p><a:r><a:t>In a box.</a:t></a:r></a:p></txBody></sp>',
            ),
          ],
        }),
      'S\n\ncell\n\nB2: Check this.\n\nIn a box.',
    ],
  ]);

  refuses(XLSX, [
    ['that is something else', () => 'hello', 'corrupt', /not a XLSX/],
    ['that is a text', () => docx(paragraph('x')), 'unsupported', /it is a DOCX/],
    ['of hidden sheets only', () => xlsx([['name="S" state="hidden"', row('x')]]), 'empty', /no text/],
  ]);
});

describe('PPTX', () => {
  const table =
    '<p:graphicFrame><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>a</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>b</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>';

  reads(PPTX, [
    [
      'of two slides in the order of the show',
      () => pptx([shape('First') + shape('one\ntwo'), shape('Second')]),
      'First\n\none\ntwo\n\nSecond',
    ],
    ['with a table', () => pptx([shape('T') + table]), 'T\n\na | b'],
    [
      'with a footer once, without the number and the date of each slide',
      () =>
        pptx([
          shape('Text') + shape('7', 'sldNum') + shape('1 May', 'dt') + shape('Acme', 'ftr'),
          shape('Acme', 'ftr') + shape('Title', 'title'),
        ]),
      'Text\n\nTitle\n\nAcme',
    ],
    [
      'with notes and comments',
      () =>
        pptx(
          [shape('Slide')],
          [
            relations('ppt/slides/slide1.xml', [
              ['comments', '../comments/c.xml'],
              ['notesSlide', '../notes/n.xml'],
            ]),
            slidePart('notes/n.xml', shape('Say this.', 'body') + shape('1', 'sldNum')),
            {
              name: 'ppt/comments/c.xml',
              data: '<p:cmLst xmlns:p="p"><p:cm><p:text>Why?</p:text></p:cm></p:cmLst>',
            },
          ],
        ),
      'Slide\n\nSay this.\n\nWhy?',
    ],
    [
      'with the words of a chart',
      () =>
        pptx(
          [shape('Slide')],
          [
            relations('ppt/slides/slide1.xml', [['chart', '../charts/c.xml']]),
            {
              name: 'ppt/charts/c.xml',
              data: '<c:chart xmlns:c="c" xmlns:a="a"><c:title><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:title><c:cat><c:strCache><c:pt><c:v>North</c:v></c:pt><c:pt><c:v>South</c:v></c:pt></c:strCache></c:cat><c:val><c:numCache><c:pt><c:v>4.2</c:v></c:pt></c:numCache></c:val></c:chart>',
            },
          ],
        ),
      'Slide\n\nSales\nNorth\nSouth',
    ],
    [
      'with an alternative, once',
      () =>
        pptx([
          `<mc:AlternateContent xmlns:mc="mc"><mc:Choice>${shape('New')}</mc:Choice><mc:Fallback>${shape('Old')}</mc:Fallback></mc:AlternateContent>`,
        ]),
      'New',
    ],
  ]);
});

describe('ODT', () => {
  const p = (text: string) => `<text:p>${text}</text:p>`;
  reads(ODT, [
    [
      'with paragraphs, spaces, a list and a table',
      () =>
        odt(
          `<text:h>Head</text:h>${p(`One<text:s text:c="3"/>two<text:tab/>three<text:line-break/>${CHINESE}`)}` +
            `<text:list><text:list-item>${p('x')}</text:list-item><text:list-item>${p('y')}<text:list><text:list-item>${p('z')}</text:list-item></text:list></text:list-item></text:list>` +
            `<table:table><table:table-row><table:table-cell>${p('a')}</table:table-cell><table:table-cell>${p('b')}${p('c')}</table:table-cell></table:table-row></table:table>${p('End')}`,
        ),
      `Head\n\nOne two three\n${CHINESE}\n\n- x\n- y\n  - z\n\na | b c\n\nEnd`,
    ],
    [
      'with a footnote and a comment behind their paragraph',
      () =>
        odt(
          p(
            'Pay<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Within a week.</text:p></text:note-body></text:note> now<office:annotation><dc:creator>Ann</dc:creator><dc:date>2026</dc:date><text:p>Sure?</text:p></office:annotation>.',
          ),
        ),
      'Pay now. [Within a week.] [Sure?]',
    ],
    [
      'without hidden, deleted and indented text',
      () =>
        odt(
          `<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>\n  ${p('Shown<text:span text:style-name="H">secret</text:span>.')}\n`,
          {
            styles: '<style:style style:name="H"><style:text-properties text:display="none"/></style:style>',
          },
        ),
      'Shown.',
    ],
    [
      'with the header of its pages, once',
      () =>
        odt(p('Body'), {
          margins: `<style:header>${p('Acme')}</style:header><style:header-left>${p('Acme')}</style:header-left><style:footer>${p('Page')}</style:footer>`,
        }),
      'Body\n\nAcme\n\nPage',
    ],
  ]);
  refuses(ODT, [
    [
      'with a password',
      () =>
        odt(p('x'), {
          more: [
            {
              name: 'META-INF/manifest.xml',
              data: '<manifest:manifest xmlns:manifest="m"><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>',
            },
          ],
        }),
      'encrypted',
      /password/,
    ],
    ['that is another archive', () => docx(paragraph('x')), 'unsupported', /not an ODT/],
  ]);
});

describe('EPUB', () => {
  const page = (text: string) =>
    `<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body><p>${text}</p></body></html>`;
  const locked = (part: string) => [
    {
      name: 'META-INF/encryption.xml',
      data: `<encryption><CipherReference URI="${part}"/></encryption>`,
    },
  ];
  reads(EPUB, [
    [
      'in the order of its spine',
      () =>
        epub({ 'b.xhtml': page('Second'), 'a.xhtml': page(CHINESE), 'c.xhtml': page('No') }, [
          'a.xhtml',
          'b.xhtml',
        ]),
      `${CHINESE}\n\nSecond`,
    ],
    [
      'whose fonts are encrypted',
      () => epub({ 'a.xhtml': page('Read') }, ['a.xhtml'], locked('OEBPS/fonts/f.otf')),
      'Read',
    ],
  ]);
  refuses(EPUB, [
    [
      'whose text is encrypted',
      () => epub({ 'a.xhtml': page('x') }, ['a.xhtml'], locked('OEBPS/text/a.xhtml')),
      'encrypted',
      /copying/,
    ],
    ['that is another archive', () => odt('<text:p>x</text:p>'), 'unsupported', /not an EPUB/],
  ]);
});

describe('CSV', () => {
  reads('text/csv', [
    [
      'with commas, quotes and line ends in fields',
      () => 'a,b\r\n"x, ""y""","two\nlines"\r\n',
      'a | b\nx, "y" | two lines',
    ],
    [
      'with semicolons and decimal commas',
      () => 'Ware;Preis\nKessel;12,50\nLampe;3,20\n',
      'Ware | Preis\nKessel | 12,50\nLampe | 3,20',
    ],
    ['with tabs', () => 'a\tb\n1,5\t2\n', 'a | b\n1,5 | 2'],
    ['that names its delimiter', () => 'sep=;\na;b,c\n', 'a | b,c'],
    [
      'with a byte order mark and rows of different lengths',
      () => '\ufeffa,b,c\nd\n\ne,f\n',
      'a | b | c\nd\ne | f',
    ],
    ['whose quote is not closed, as it is', () => 'a,b\n"c,d\ne,f', 'a,b\n"c,d\ne,f'],
    ['with a quote within a field', () => 'size,name\n5" pipe,x\n', 'size | name\n5" pipe | x'],
    ['with empty fields', () => 'a,,c\n,,\n,b,\n', 'a | | c\n| b'],
    ['of one column', () => 'one\ntwo words\n', 'one\ntwo words'],
    [
      'in windows-1251',
      () => encoded(`${RUSSIAN};1\n${RUSSIAN};2\n`, 'windows-1251'),
      `${RUSSIAN} | 1\n${RUSSIAN} | 2`,
    ],
  ]);
});

describe('RTF', () => {
  const rtf = (body: string) =>
    `{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0 Arial;}{\\f1\\fcharset204 Arial;}{\\f2\\fcharset134 SimSun;}}${body}}`;
  reads('application/rtf', [
    [
      'with paragraphs and signs',
      () => rtf("One\\par two \\{x\\} \\\\ L\\'92h\\'f4tel\\emdash 20\\~\\'80\\line next"),
      'One\n\ntwo {x} \\ L’hôtel—20 €\nnext',
    ],
    ['in Cyrillic by its font', () => rtf("\\f1 \\'cf\\'f0\\'e8\\'e2\\'e5\\'f2"), 'Привет'],
    [
      'in Chinese by its font',
      () => rtf(`\\f2 ${[...encoded('退款', 'gb18030')].map((byte) => `\\'${byte.toString(16)}`).join('')}`),
      '退款',
    ],
    [
      'in Unicode with alternatives',
      () => rtf("\\uc1\\u36864?\\u27454? \\uc2\\u8364\\'80\\'80 {\\uc0\\u55357\\u56832}"),
      '退款 € 😀',
    ],
    [
      'with a table',
      () => rtf('\\trowd\\intbl a\\cell b\\par c\\cell\\row\\trowd\\intbl 1\\cell 2\\cell\\row\\pard End'),
      'a | b c\n1 | 2\nEnd',
    ],
    [
      'without fonts, styles, pictures, instructions',
      () =>
        rtf(
          '{\\stylesheet{\\s1 Heading;}}{\\info{\\title T}}{\\*\\generator X;}{\\pict\\pngblip 89504e47}{\\field{\\*\\fldinst HYPERLINK "http://x.org"}{\\fldrslt link}}',
        ),
      'link',
    ],
    ['without hidden and deleted text', () => rtf('a{\\v secret}b{\\deleted gone}c\\v no\\v0 d'), 'abcd'],
    [
      'with a footnote and a header',
      () => rtf('{\\header Acme}P{\\footnote Within a week.}ay.\\par End'),
      'Acme\n\nPay. [Within a week.]\n\nEnd',
    ],
    ['with binary data', () => rtf('a\\bin5 {{}}}b'), 'ab'],
    [
      'with a text box',
      () => rtf('Text{\\shp{\\*\\shpinst{\\sp{\\sn x}{\\sv 1}}{\\shptxt Boxed\\par}}}'),
      'Text\n\nBoxed',
    ],
  ]);
  refuses('application/rtf', [
    ['that is something else', () => 'hello', 'corrupt', /not an RTF/],
    ['nested too deeply', () => rtf('{'.repeat(30_000)), 'too_complex', /deeply/],
  ]);
});

describe('mails', () => {
  const head =
    'From: Ann <ann@example.com>\r\nTo: Bob <bob@example.com>, c@example.com\r\nSubject: =?utf-8?B?6YCA5qy+?=\r\nDate: Mon, 2 Mar 2026 10:00:00 +0100\r\nMIME-Version: 1.0\r\n';
  const HEAD_TEXT =
    'Subject: 退款\nFrom: "Ann" <ann@example.com>\nTo: "Bob" <bob@example.com>, c@example.com\nDate: 2026-03-02T09:00:00.000Z';
  const part = (type: string, body: string, more = '') =>
    `--x\r\nContent-Type: ${type}\r\n${more}\r\n${body}\r\n`;
  const mixed = (...parts: string[]) =>
    `${head}Content-Type: multipart/mixed; boundary=x\r\n\r\n${parts.join('')}--x--\r\n`;
  const named = (name: string) =>
    `Content-Disposition: attachment; filename=${name}\r\nContent-Transfer-Encoding: base64\r\n`;
  const base64 = (content: string | Buffer) => Buffer.from(content).toString('base64');

  reads('message/rfc822', [
    [
      'of plain text',
      () =>
        `${head}Content-Type: text/plain; charset=gb18030\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded(CHINESE, 'gb18030').toString('base64')}`,
      `${HEAD_TEXT}\n\n${CHINESE}`,
    ],
    [
      'of HTML, without what it hides',
      () => `${head}Content-Type: text/html; charset=utf-8\r\n\r\n<p>Seen<p style="display:none">unseen`,
      `${HEAD_TEXT}\n\nSeen`,
    ],
    [
      'with attachments of several formats',
      () =>
        mixed(
          part('text/plain', 'See the files.'),
          part('application/octet-stream', base64(docx(paragraph('In DOCX.'))), named('a.docx')),
          part('text/csv', base64('x,y\n1,2\n'), named('b.csv')),
          part('image/png', base64('png'), named('c.png')),
        ),
      `${HEAD_TEXT}\n\nSee the files.\n\na.docx\n\nIn DOCX.\n\nb.csv\n\nx | y\n1 | 2\n\nc.png`,
    ],
    [
      'with a damaged attachment',
      () => mixed(part('text/plain', 'Read me.'), part('application/pdf', base64('no pdf'), named('a.pdf'))),
      `${HEAD_TEXT}\n\nRead me.\n\na.pdf`,
    ],
    [
      'with a forwarded mail',
      () =>
        mixed(
          part('text/plain', 'Fwd.'),
          part(
            'message/rfc822',
            'From: z@example.com\r\nSubject: Inner\r\n\r\nDeep.',
            'Content-Disposition: attachment; filename=m.eml\r\n',
          ),
        ),
      `${HEAD_TEXT}\n\nFwd.\n\nm.eml\n\nSubject: Inner\nFrom: z@example.com\n\nDeep.`,
    ],
  ]);
  reads(MSG, [
    [
      'of Outlook',
      () =>
        msg(
          { '0037': '退款', '0C1A': 'Ann', '5D01': 'ann@example.com', '1000': 'Please pay.\r\nThanks.' },
          {
            '__recip_version1.0_#00000000': recipient('Bob', 'bob@example.com'),
            '__attach_version1.0_#00000000': attachment('b.csv', Buffer.from('x,y\n1,2\n')),
          },
        ),
      'Subject: 退款\nFrom: Ann <ann@example.com>\nTo: Bob <bob@example.com>\n\nPlease pay.\nThanks.\n\nb.csv\n\nx | y\n1 | 2',
    ],
    [
      'of Outlook in HTML',
      () => msg({ '0037': 'S', '1013': Buffer.from('<p>Seen<p hidden>unseen') }),
      'Subject: S\n\nSeen',
    ],
  ]);
  refuses('message/rfc822', [['that is something else', () => 'hello\n', 'corrupt', /not a mail/]]);
  refuses(MSG, [
    ['that is something else', () => 'hello', 'corrupt', /not a MSG/],
    [
      'that was cut off',
      () => msg({ '0037': 'S'.repeat(2_000) }).subarray(0, -1_500),
      'corrupt',
      /is damaged/,
    ],
    ['whose directory comes back to itself', () => endless(msg({ '0037': 'S' })), 'corrupt', /has no end/],
  ]);
});
