import iconv from 'iconv-lite';
import { DOCX, type MediaType, ODT, XLSX } from '../../tables/media-type';
import { builtThread, textOf } from '../extraction-thread/extraction-thread.fixture';
import { docx, paragraph } from './docx/docx.fixture';
import { odt, relations, row, xlsx } from './office/office.fixture';
import { FONT_WITH_OWN_MAP, type OnePage, onePage } from './pdf/pdf.fixture';
import { type ZipEntry } from './package/zip-archive.fixture';

type Case = [name: string, content: string | Buffer, text: string];

const extractor = builtThread();
afterAll(() => extractor.close());

const reads = (mediaType: MediaType, cases: Case[]): void =>
  it.each(cases)('%s', async (_name, content, text) => {
    expect(await textOf(extractor, content, mediaType)).toBe(text);
  });

describe('HTML', () => {
  const closers = 'center dialog dir hgroup menu search summary div';
  reads('text/html', [
    ...closers
      .split(' ')
      .map((name): Case => [`ends a paragraph at ${name}`, `<p hidden>x<${name}>kettle</${name}>`, 'kettle']),
    ['ends a paragraph around other elements', '<p hidden><span>x<div>kettle</div>', 'kettle'],
    ['ends a paragraph at a list item', '<p hidden>x<li>kettle', '- kettle'],
    ['ends a heading at the next one', '<h1 hidden>x<h2>kettle</h2>', 'kettle'],
    ['ends an item around a paragraph', '<ul><li hidden><p>x<li>kettle</ul>', '- kettle'],
    ['ends a link at the next one', '<a hidden>x<a>kettle</a>', 'kettle'],
    [
      'ends a section of a table at the next one',
      '<table><thead hidden><tr><td>x<tbody><tr><td>kettle<td>pot</table>',
      'kettle | pot',
    ],
    ['ends a cell around other elements', '<table><tr><td hidden><b>x<td>kettle</table>', 'kettle'],
    ['keeps what a hidden element holds hidden', '<div hidden><p>x<ul><li>y</ul></div>kettle', 'kettle'],
    ['ends a comment with its other end', '<!-- x --!>kettle', 'kettle'],
    ['ignores the case of until-found', '<p hidden="Until-Found">kettle</p>', 'kettle'],
    ['shows what a variable may show', '<p style="display:none;display:var(--x,block)">kettle</p>', 'kettle'],
    [
      'parts inline elements that are blocks',
      '<span style="display:block">alpha</span><span style="display:block">beta</span>',
      'alpha\n\nbeta',
    ],
    [
      'parts inline elements that are boxes',
      '<a style="display:inline-block">alpha</a><a style="display:inline-block">beta</a>',
      'alpha beta',
    ],
    [
      'parts the items of a flexible box',
      '<div style="display:flex"><b>alpha</b><b>beta</b></div>',
      'alpha beta',
    ],
    ['keeps words of inline elements whole', '<b>al</b><span style="color:red">pha</span>', 'alpha'],
    [
      'parts buttons and fields',
      '<button>a</button><button>b</button><label>c</label><input><i>d</i>',
      'a b c d',
    ],
    [
      'reads the values of fields',
      'Name <input value="Okonkwo"><input type=submit value=Send><input type=hidden value=x><input type=password value=y>',
      'Name Okonkwo Send',
    ],
    [
      'counts a list from its start',
      '<ol start=5><li>five<li>six<li value=9>nine</ol>',
      '5. five\n6. six\n9. nine',
    ],
    ['counts in letters', '<ol type=A start=26><li>x<li>y</ol>', 'Z. x\nAA. y'],
    ['counts in Roman numerals', '<ol type=i start=3><li>x<li>y</ol>', 'iii. x\niv. y'],
    ['counts backwards', '<ol reversed start=2><li>x<li>y</ol>', '2. x\n1. y'],
    [
      'reads the names of groups of options',
      '<select><optgroup label="Fruit"><option>Pear</select>',
      'Fruit\n\nPear',
    ],
    ['writes the bar of a fraction', '<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>', '1/2'],
    [
      'ends empty elements of XHTML',
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><p hidden="hidden"/><iframe src="x"/><p>kettle <![CDATA[a < b]]></p></html>',
      'kettle a < b',
    ],
    ['opens such elements in HTML', '<div hidden/>x</div>kettle', 'kettle'],
  ]);
});

describe('Markdown', () => {
  reads('text/markdown', [
    ['counts a list from its first number', '5. five\n6. six', '5. five\n6. six'],
    [
      'leaves out front matter in TOML',
      '+++\n# c\ntitle = "A"\ntags = ["b",\n "c"]\n[menu]\n+++\nTides turn.',
      'Tides turn.',
    ],
    ['keeps lines of plus signs', '+++\nIncreased sales\n+++\nText', '+++ Increased sales +++ Text'],
    [
      'keeps items with colons',
      '---\n1. first: x\n2. second: y\n---\nText',
      '1. first: x\n2. second: y\n\nText',
    ],
    ['keeps HTML with a colon', '---\n<b>a: b</b>\n---\nText', 'a: b\n\nText'],
  ]);
});

describe('encodings', () => {
  const KOREAN = '똠방각하와 펲시콜라를 마셨다. 오늘은 날씨가 좋습니다.';
  const HONG_KONG = '香港嘅圖書館逢星期一休息，佢哋喺九龍開咗新館。';
  const page = (label: string, text: string, encoding = label): Buffer =>
    Buffer.concat([Buffer.from(`<meta charset=${label}><p>`), iconv.encode(text, encoding)]);
  reads('text/html', [
    ['Korean, with syllables of Windows', page('euc-kr', KOREAN, 'cp949'), KOREAN],
    ['Big5 of Hong Kong', page('big5', HONG_KONG, 'big5hkscs'), HONG_KONG],
    ['GBK with the euro sign', page('gb2312', '价格是十元€', 'gb18030'), '价格是十元€'],
    ['ISO 8859-16', page('iso-8859-16', 'Ștefan și țara'), 'Ștefan și țara'],
  ]);
  const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
  reads('text/plain', [
    ['Korean, undeclared', iconv.encode(KOREAN, 'cp949'), KOREAN],
    ['Big5 of Hong Kong, undeclared', iconv.encode(HONG_KONG, 'big5hkscs'), HONG_KONG],
    [
      'XML that declares one',
      iconv.encode('<?xml version="1.0" encoding="windows-1251"?><a>Привет</a>', 'windows-1251'),
      '<?xml version="1.0" encoding="windows-1251"?><a>Привет</a>',
    ],
    [
      'a style sheet that declares one',
      latin('@charset "iso-8859-1";\n/* Olà */'),
      '@charset "iso-8859-1";\n/* Olà */',
    ],
    [
      'Python that declares one',
      latin('# -*- coding: latin-1 -*-\nx = "Olà"'),
      '# -*- coding: latin-1 -*-\nx = "Olà"',
    ],
    [
      'LaTeX that declares one',
      latin('\\usepackage[latin1]{inputenc}\nOlà'),
      '\\usepackage[latin1]{inputenc}\nOlà',
    ],
    [
      'UTF-16 of Cyrillic without a mark',
      Buffer.from('Библиотека закрыта в понедельник.', 'utf16le'),
      'Библиотека закрыта в понедельник.',
    ],
    [
      'one umlaut, whose byte is the same everywhere',
      latin('Customer Müller, Berlin'),
      'Customer Müller, Berlin',
    ],
  ]);
  reads('text/csv', [
    [
      'a German table',
      latin('Name;Ort;Betrag\r\nMüller;Berlin;1.234,50\r\n'),
      'Name | Ort | Betrag\nMüller | Berlin | 1.234,50',
    ],
    ['decimal commas between semicolons', '1,5;2,5\n3,5;4,5\n', '1,5 | 2,5\n3,5 | 4,5'],
    ['a space before a quote', 'a, b\n1, "x, y"\n', 'a | b\n1 | x, y'],
  ]);
});

describe('DOCX', () => {
  const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const run = (text: string, properties = '') =>
    `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
  const p = (...runs: string[]) => `<w:p>${runs.join('')}</w:p>`;
  const field = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
  const instruction = (text: string) => `<w:r><w:instrText>${text}</w:instrText></w:r>`;
  const withParts = (body: string, list: [type: string, target: string][], parts: ZipEntry[]) =>
    docx(body, [relations('word/document.xml', list), ...parts]);
  const styles: ZipEntry = {
    name: 'word/styles.xml',
    data: `<w:styles ${W}><w:style w:styleId="A"><w:rPr><w:vanish/></w:rPr></w:style><w:style w:styleId="B"><w:basedOn w:val="A"/></w:style></w:styles>`,
  };
  const note = (name: string): ZipEntry => ({
    name,
    data: `<n:footnotes xmlns:n="${W.slice(9, -1)}"><n:footnote n:id="2"><n:p><n:r><n:t>note two</n:t></n:r></n:p></n:footnote><n:footnote n:id="3"><n:p><n:r><n:t>note three</n:t></n:r></n:p></n:footnote></n:footnotes>`,
  });
  const mark = (id: number) => `<w:r><w:footnoteReference w:id="${id}"/></w:r>`;
  const chart =
    '<c:chartSpace xmlns:c="c" xmlns:a="a"><c:title><a:p><a:r><a:t>Harvest</a:t></a:r></a:p></c:title></c:chartSpace>';
  const diagram =
    '<dgm:dataModel xmlns:dgm="d" xmlns:a="a"><dgm:pt><dgm:t><a:p><a:r><a:t>Sow early</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>';
  const chunkOf = (data: string | Buffer, name = 'a.dat', prefix = 'r') =>
    withParts(
      `${paragraph('Before')}<w:altChunk xmlns:${prefix}="${RELATIONSHIPS}" ${prefix}:id="r0"/>`,
      [['aFChunk', name]],
      [{ name: `word/${name}`, data }],
    );

  reads(DOCX, [
    [
      'shows signs of symbol fonts',
      docx(
        p(
          run('a '),
          '<w:r><w:sym w:font="Symbol" w:char="F062"/></w:r>',
          run(' '),
          '<w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>',
          run(' \uf0b3', '<w:rFonts w:ascii="Symbol"/>'),
        ),
      ),
      'a β ✓ ≥',
    ],
    [
      'ignores former properties',
      docx(p(run('kettle', '<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>'))),
      'kettle',
    ],
    [
      'ignores former numbering',
      docx(`<w:p><w:pPr><w:pPrChange><w:pPr><w:numPr/></w:pPr></w:pPrChange></w:pPr>${run('kettle')}</w:p>`),
      'kettle',
    ],
    [
      'knows the end of numbering',
      docx(`<w:p><w:pPr><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr>${run('kettle')}</w:p>`),
      'kettle',
    ],
    [
      'leaves out what styles hide',
      withParts(
        p('<w:pPr><w:pStyle w:val="B"/></w:pPr>', run('x')) +
          p(
            run('kettle'),
            run('y', '<w:rStyle w:val="A"/>'),
            run(' pot', '<w:rStyle w:val="A"/><w:vanish w:val="0"/>'),
          ),
        [['styles', 'styles.xml']],
        [styles],
      ),
      'kettle pot',
    ],
    [
      'reads an alternative without a first choice',
      docx(
        p(
          '<mc:AlternateContent><mc:Fallback><w:r><w:t>kettle</w:t></w:r></mc:Fallback></mc:AlternateContent>',
        ),
      ),
      'kettle',
    ],
    [
      'parts a text box from the words behind it',
      docx(p(`<w:r><w:pict><w:txbxContent>${p(run('boxed'))}</w:txbxContent></w:pict></w:r>`, run('after'))),
      'boxed\n\nafter',
    ],
    [
      'reads word art',
      docx(p('<w:r><w:pict><v:textpath xmlns:v="v" string="DRAFT COPY"/></w:pict></w:r>')),
      'DRAFT COPY',
    ],
    [
      'reads charts and diagrams where they stand',
      withParts(
        p(run('Before')) +
          p(`<w:r><c:chart xmlns:c="c" xmlns:r="${RELATIONSHIPS}" r:id="r0"/></w:r>`) +
          p(`<w:r><d:relIds xmlns:d="d" xmlns:r="${RELATIONSHIPS}" r:dm="r1"/></w:r>`) +
          p(run('After')),
        [
          ['chart', 'c.xml'],
          ['diagramData', 'd.xml'],
        ],
        [
          { name: 'word/c.xml', data: chart },
          { name: 'word/d.xml', data: diagram },
        ],
      ),
      'Before\n\nHarvest\n\nSow early\n\nAfter',
    ],
    [
      'finds notes of any name and prefix',
      withParts(p(run('Text'), mark(2), mark(3)), [['footnotes', 'notes/n.xml']], [note('word/notes/n.xml')]),
      'Text [note two] [note three]',
    ],
    [
      'writes the bar of a fraction',
      docx(
        p(
          '<m:f xmlns:m="m"><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>',
          run(' cup'),
        ),
      ),
      '1/2 cup',
    ],
    [
      'shows the choice of a form field',
      docx(
        p(
          '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:default w:val="0"/><w:listEntry w:val="red"/><w:listEntry w:val="cyan"/></w:ddList></w:ffData></w:fldChar></w:r>',
          instruction('FORMDROPDOWN'),
          field('end'),
          run(' end'),
        ),
      ),
      'cyan end',
    ],
    [
      'leaves out results within instructions',
      docx(
        p(
          field('begin'),
          instruction('IF '),
          field('begin'),
          instruction('MERGEFIELD x'),
          field('separate'),
          run('inner'),
          field('end'),
          field('separate'),
          run('result'),
          field('end'),
        ),
      ),
      'result',
    ],
    [
      'reads on behind a field without an end',
      docx(p(field('begin'), run('x')) + p(run('kettle'))),
      'x\n\nkettle',
    ],
    [
      'reads a chunk in UTF-16',
      chunkOf(Buffer.from('\ufeff<html><p>Oats</p></html>', 'utf16le')),
      'Before\n\nOats',
    ],
    ['reads a fragment of HTML', chunkOf('<b>Oats</b> are <i>dry</i>.'), 'Before\n\nOats are dry.'],
    ['keeps a text with signs of order', chunkOf('3 < 4 <br', 'a.txt'), 'Before\n\n3 < 4 <br'],
    ['reads a chunk of any prefix', chunkOf('<p>Oats</p>', 'a.htm', 'rel'), 'Before\n\nOats'],
    [
      'reads a chunk in a header',
      withParts(
        p(run('Body')),
        [['header', 'h.xml']],
        [
          {
            name: 'word/h.xml',
            data: `<w:hdr ${W} xmlns:r="${RELATIONSHIPS}"><w:altChunk r:id="r0"/></w:hdr>`,
          },
          relations('word/h.xml', [['aFChunk', 'a.htm']]),
          { name: 'word/a.htm', data: '<p>Head</p>' },
        ],
      ),
      'Head\n\nBody',
    ],
  ]);
});

describe('XLSX and ODT', () => {
  const strings = (text: string) =>
    xlsx([['name="S"', '<row><c t="s"><v>0</v></c></row>']], { strings: `<si><t>${text}</t></si>` });
  reads(XLSX, [
    ['reads escaped characters', strings('a_x000D_\nb _x005F_x0041_'), 'S\n\na b _x0041_'],
    [
      'reads the heads of printed pages once',
      xlsx([
        [
          'name="S"',
          `${row('k')}</sheetData><headerFooter><oddHeader>&amp;C&amp;"Arial,Bold"&amp;14Tide &amp;&amp; moon &amp;P</oddHeader><evenHeader>&amp;LTide &amp;&amp; moon</evenHeader></headerFooter><sheetData>`,
        ],
      ]),
      'S\n\nk\n\nTide & moon',
    ],
  ]);
  const box = '<draw:frame><draw:text-box><text:p>Boxed</text:p></draw:text-box></draw:frame>';
  reads(ODT, [
    [
      'parts a text box from the words behind it',
      odt(`<text:p>Before ${box}after</text:p>`),
      'Before\n\nBoxed\n\nafter',
    ],
    [
      'leaves out a hidden section',
      odt('<text:section text:display="none"><text:p>x</text:p></text:section><text:p>k</text:p>'),
      'k',
    ],
    [
      'leaves out a hidden paragraph',
      odt('<text:p><text:hidden-paragraph text:is-hidden="true"/>x</text:p><text:p>k</text:p>'),
      'k',
    ],
    [
      'leaves out what a parent style hides',
      odt('<text:p>k<text:span text:style-name="B">x</text:span></text:p>', {
        styles:
          '<style:style style:name="A"><style:text-properties text:display="none"/></style:style><style:style style:name="B" style:parent-style-name="A"/>',
      }),
      'k',
    ],
  ]);
});

describe('RTF', () => {
  const rtf = (text: string, head = '\\ansi\\ansicpg1252'): string =>
    `{\\rtf1${head}{\\fonttbl{\\f1\\fcharset2 Symbol;}{\\f2\\fcharset2 Wingdings;}{\\f3\\fcharset77 Geneva;}}${text}}`;
  reads('application/rtf', [
    ['reads the alternative in Unicode', rtf('a {\\upr{caf?}{\\*\\ud{caf\\u233 ?}}} b'), 'a café b'],
    ['leaves out entries of an index', rtf('kettle{\\xe x}{\\tc{\\v x}} pot'), 'kettle pot'],
    [
      'reads text boxes of old drawings',
      rtf('{\\*\\do\\dobxpage{\\dptxbx{\\dptxbxtext\\pard boxed\\par}}}after'),
      'boxed\n\nafter',
    ],
    ['shows signs of symbol fonts', rtf("{\\f1 a\\'62\\u-3917 ?} {\\f2\\'fc}"), 'αβ≥ ✓'],
    ['reads code pages of DOS', rtf("\\'82\\'84", '\\pc'), 'éä'],
    ['reads fonts of the Macintosh', rtf("{\\f3 caf\\'8e}"), 'café'],
    ['reads Korean of Windows', rtf("\\'8c\\'63", '\\ansi\\ansicpg949'), '똠'],
  ]);
});

describe('mail', () => {
  const mixed = (...parts: [type: string, text: string][]): string =>
    `Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts.map(([type, text]) => `--b\r\nContent-Type: text/${type}\r\n\r\n${text}\r\n`).join('')}--b--\r\n`;
  reads('message/rfc822', [
    [
      'reads plain parts beside HTML',
      mixed(['plain', 'first'], ['html', '<p>second</p>'], ['plain', 'third']),
      'Subject: x\n\nfirst\n\nsecond\n\nthird',
    ],
    [
      'reads the plain part beside empty HTML',
      mixed(['plain', 'first'], ['html', '<html></html>']),
      'Subject: x\n\nfirst',
    ],
  ]);
});

describe('PDF', () => {
  const at = (y: number, text: string): string => `BT /F1 12 Tf 60 ${y} Td (${text}) Tj ET `;
  const LAYER = '<< /Type /OCG /Name (L) >>';
  const off = (content: string, options: OnePage = {}) =>
    onePage(content + at(700, 'kettle'), {
      resources: '/Properties << /L 10 0 R >>',
      root: '/OCProperties << /OCGs [10 0 R] /D << /OFF [10 0 R] >> >>',
      more: { 10: LAYER },
      ...options,
    });
  const drawn = (entries: string, more: OnePage['more'] = {}, root = '') =>
    onePage(at(700, 'kettle'), {
      page: '/Annots [20 0 R]',
      root,
      more: {
        ...more,
        20: `<< /Type /Annot /F 4 /Rect [100 600 320 620] /AP << /N 21 0 R >> ${entries} >>`,
        21: [
          '/Type /XObject /Subtype /Form /BBox [0 0 220 20] /Resources << /Font << /F1 4 0 R >> >>',
          'BT /F1 12 Tf 2 5 Td (APPROVED) Tj ET',
        ],
      },
    });
  const form: OnePage['more'] = {
    10: LAYER,
    11: [
      '/Type /XObject /Subtype /Form /BBox [0 0 600 800] /OC 10 0 R /Resources << /Font << /F1 4 0 R >> >>',
      at(500, 'x'),
    ],
  };
  const MAP = '1 beginbfrange <01> <03> [<0041> <006600660069> <D83DDE00>] endbfrange';

  reads('application/pdf', [
    [
      'leaves out layers that are off',
      off(`/OC /L BDC /Span BMC ${at(600, 'x')}EMC ${at(580, 'x')}EMC `),
      'kettle',
    ],
    ['reads layers that are on', off(`/OC /L BDC ${at(720, 'layer')}EMC `, { root: '' }), 'layer kettle'],
    [
      'leaves out forms in layers that are off',
      off('/X Do ', { resources: '/XObject << /X 11 0 R >>', more: form }),
      'kettle',
    ],
    ['reads the words of a stamp', drawn('/Subtype /Stamp'), 'kettle\n\nAPPROVED'],
    ['reads a visible signature', drawn('/Subtype /Widget /FT /Sig /T (s)'), 'kettle\n\nAPPROVED'],
    ['leaves out a hidden stamp', drawn('/Subtype /Stamp /F 2'), 'kettle'],
    [
      'leaves out a stamp in a layer that is off',
      drawn(
        '/Subtype /Stamp /OC 10 0 R',
        { 10: LAYER },
        '/OCProperties << /OCGs [10 0 R] /D << /OFF [10 0 R] >> >>',
      ),
      'kettle',
    ],
    [
      'does not read a field twice',
      drawn('/Subtype /Widget /FT /Tx /T (t) /V (APPROVED)'),
      'kettle\n\nAPPROVED',
    ],
    [
      'reads ranges of a character map',
      onePage('BT /F1 12 Tf 60 700 Td <010203> Tj ET', {
        font: FONT_WITH_OWN_MAP,
        more: { 6: ['', `begincmap 1 begincodespacerange <00> <ff> endcodespacerange ${MAP} endcmap`] },
      }),
      'Affi😀',
    ],
  ]);
});
