import { docx, paragraph } from '../../ingestion/extraction/docx/docx.fixture';
import { encoded, JAPANESE, KOREAN, RUSSIAN, utf16be } from '../../ingestion/extraction/encodings.fixture';
import { type Expected, fileOf, type ReadingCase } from './reading-case.fixture';

/** Cases of HTML, of encodings and of DOCX. */

const page = fileOf('html-hidden', 'html');
const body = (id: string, inner: string, expect: Expected): ReadingCase =>
  page(
    id,
    `<!doctype html><meta charset="utf-8"><title>Sheet</title><body>${inner}<p>Ring twice.</p></body>`,
    {
      ...expect,
      text_contains: ['Ring twice.', ...(expect.text_contains ?? [])],
    },
  );
const hides = (id: string, inner: string): ReadingCase =>
  body(id, inner, { text_lacks: ['quixotic'], not_found_by: ['quixotic'] });
const shows = (id: string, inner: string): ReadingCase =>
  body(id, inner, { text_contains: ['The kettle boils.'], found_by: ['kettle'] });
const KETTLE = '<p>The kettle boils.</p>';

const HTML: ReadingCase[] = [
  shows(
    'font-size-percent-of-zero',
    `<div style="font-size:0"><div style="font-size:14px">${KETTLE}</div></div>`,
  ),
  hides('font-size-em-of-zero', '<div style="font-size:0"><p style="font-size:2em">quixotic</p></div>'),
  hides('font-size-percent-again', '<div style="font-size:0"><p style="font-size:120%">quixotic</p></div>'),
  shows('font-size-keyword', `<div style="font-size:0"><div style="font-size:medium">${KETTLE}</div></div>`),
  shows('font-size-rem', `<div style="font-size:0"><div style="font-size:1.2rem">${KETTLE}</div></div>`),
  hides('font-size-inherit', '<div style="font-size:0"><p style="font-size:inherit">quixotic</p></div>'),
  shows(
    'font-shorthand',
    `<div style="font-size:0"><div style="font:italic 12px/1.5 serif">${KETTLE}</div></div>`,
  ),
  hides('font-shorthand-zero', '<p style="font:0/0 a">quixotic</p>'),
  shows('later-declaration-wins', `<div style="display:none;display:block">${KETTLE}</div>`),
  hides('important-wins', '<div style="display:none !important;display:block"><p>quixotic</p></div>'),
  shows('invalid-declaration', `<div style="display:none-of-these">${KETTLE}</div>`),
  hides('capitals', '<p STYLE="DISPLAY : NONE">quixotic</p>'),
  hides('comment-inside-declaration', '<p style="display:/* why */none">quixotic</p>'),
  shows('string-holds-declaration', `<div style="content:';display:none;'">${KETTLE}</div>`),
  shows('url-holds-declaration', `<div style="background:url('a;display:none;b')">${KETTLE}</div>`),
  shows('animation', `<div style="opacity:0;animation:fade 1s forwards">${KETTLE}</div>`),
  shows('will-change', `<div style="opacity:0;will-change:opacity">${KETTLE}</div>`),
  hides('opacity-zero', '<div style="opacity:0"><p style="opacity:1">quixotic</p></div>'),
  hides('opacity-percent', '<div style="opacity:0%"><p>quixotic</p></div>'),
  shows('transform-none-visible', `<div style="opacity:.01">${KETTLE}</div>`),
  hides('opacity-transform-none', '<div style="opacity:0;transform:none"><p>quixotic</p></div>'),
  hides('collapse', '<p style="visibility:collapse">quixotic</p>'),
  shows(
    'visibility-inherit-visible',
    `<div style="visibility:visible"><div style="visibility:inherit">${KETTLE}</div></div>`,
  ),
  shows(
    'visible-in-hidden',
    `<div style="visibility:hidden"><table><tr><td style="visibility:visible">The kettle boils.</td></tr></table></div>`,
  ),
  hides(
    'hidden-in-visible',
    '<div style="visibility:visible"><p style="visibility:hidden">quixotic</p></div>',
  ),
  hides(
    'hidden-attribute',
    '<section hidden><p style="display:block">quixotic</p></section>'.replace(' style="display:block"', ''),
  ),
  shows(
    'other-property-names',
    `<div style="-x-display:none;text-decoration:none;border-style:none;list-style:none">${KETTLE}</div>`,
  ),
  hides(
    'mso-hide-preheader',
    '<div style="display:none;font-size:1px;max-height:0;overflow:hidden">quixotic</div>',
  ),
  hides('escaped-identifier', '<p style="d\\69splay:none">quixotic</p>'),
  shows('closed-paragraph', `<p style="display:none">hush<p>The kettle boils.</p>`),
  shows('details-closed', `<details><summary>More</summary>${KETTLE}</details>`),
];

const text = fileOf('encoding', 'txt');
const web = fileOf('encoding', 'html');
const webIn = (id: string, label: string, sentence: string, encoding = label, head = ''): ReadingCase =>
  web(
    id,
    Buffer.concat([
      Buffer.from(`<html><head>${head}<meta charset="${label}"></head><body><p>`),
      encoded(sentence, encoding),
      Buffer.from('</p></body></html>'),
    ]),
    {
      text_contains: [sentence],
    },
  );
/** ISO-2022-JP of kana and kanji, by way of EUC-JP: the same two bytes without the eighth bit. */
const iso2022 = (words: string): Buffer =>
  Buffer.concat([
    Buffer.from('\x1b$B'),
    Buffer.from(encoded(words, 'euc-jp').map((byte) => byte & 0x7f)),
    Buffer.from('\x1b(B'),
  ]);
const LIBRARY = '図書館は月曜日に休みです';
const THAI = 'ห้องสมุดปิดวันจันทร์และเปิดอีกครั้งในวันอังคาร';
const FRENCH =
  'L’été dernier, la bibliothèque a été rénovée : les élèves étaient très heureux de cette décision.';

const ENCODINGS: ReadingCase[] = [
  webIn('shift-jis-alias', 'x-sjis', JAPANESE, 'shift_jis'),
  webIn('korean-alias', 'ks_c_5601-1987', KOREAN, 'euc-kr'),
  webIn('koi8', 'koi8-r', RUSSIAN),
  webIn('korean-code-page', 'cp949', KOREAN, 'euc-kr'),
  text('thai-undeclared', encoded(THAI, 'windows-874'), { text_contains: [THAI], found_by: ['ห้องสมุด'] }),
  web(
    'latin1-is-windows',
    Buffer.from('<meta charset="iso-8859-1"><p>Price: 5 \x80 \x93net\x94</p>', 'latin1'),
    { text_contains: ['Price: 5 € “net”'] },
  ),
  webIn(
    'charset-in-description',
    'koi8-r',
    RUSSIAN,
    'koi8-r',
    '<meta name="description" content="charset=utf-8 is best">',
  ),
  webIn('charset-in-comment', 'koi8-r', RUSSIAN, 'koi8-r', '<!-- <meta charset="shift_jis"> -->'),
  webIn('charset-in-title', 'koi8-r', RUSSIAN, 'koi8-r', '<title>charset=gbk</title>'),
  webIn('declared-utf-16-is-utf-8', 'utf-16', 'Plain letters in eight bits', 'utf-8'),
  web(
    'http-equiv',
    Buffer.concat([
      Buffer.from('<meta http-equiv=Content-Type content="text/html; charset=windows-1251"><p>'),
      encoded(RUSSIAN, 'windows-1251'),
    ]),
    { text_contains: [RUSSIAN] },
  ),
  web(
    'http-equiv-reversed',
    Buffer.concat([
      Buffer.from("<meta content='text/html; charset = koi8-r' http-equiv='content-type'><p>"),
      encoded(RUSSIAN, 'koi8-r'),
    ]),
    { text_contains: [RUSSIAN] },
  ),
  web(
    'content-without-http-equiv',
    Buffer.concat([
      Buffer.from('<meta name="x" content="text/html; charset=koi8-r"><p>'),
      Buffer.from(RUSSIAN),
    ]),
    { text_contains: [RUSSIAN] },
  ),
  web('hz-gb-2312', '<meta charset="hz-gb-2312"><p>~{<:Ky2;SbD~}</p>', { status: 'failed' }),
  web('iso-2022-cn', '<meta charset="iso-2022-cn"><p>\x1b$)A\x0e=;;;\x0f</p>', { status: 'failed' }),
  web('bom-beats-declaration', '\ufeff<meta charset="shift_jis"><p>Grüße an alle</p>', {
    text_contains: ['Grüße an alle'],
  }),
  web(
    'iso-2022-jp-html-undeclared',
    Buffer.concat([Buffer.from('<p>'), iso2022(LIBRARY), Buffer.from('</p>')]),
    { text_contains: [LIBRARY] },
  ),
  web(
    'comment-of-2000-bytes',
    Buffer.concat([
      Buffer.from(`<!-- ${'licence '.repeat(250)} --><meta charset="euc-jp"><p>`),
      encoded(JAPANESE, 'euc-jp'),
    ]),
    { text_contains: [JAPANESE] },
  ),
  text(
    'iso-2022-jp-mixed',
    Buffer.concat([Buffer.from('Notice: '), iso2022(LIBRARY), Buffer.from(' (2026)\n')]),
    { text_contains: [`Notice: ${LIBRARY} (2026)`] },
  ),
  text('utf-16be-bom', Buffer.concat([Buffer.from([0xfe, 0xff]), utf16be('Fünf Äpfel')]), {
    text_contains: ['Fünf Äpfel'],
  }),
  text('latin1-undeclared', encoded(FRENCH, 'windows-1252'), {
    text_contains: ['bibliothèque a été rénovée'],
  }),
  text(
    'noise',
    Buffer.from(
      Array.from({ length: 4_000 }, (_, at) => ((at * at * 7919 + at * 104_729) % 251) | (at % 3 ? 0x80 : 0)),
    ),
    { status: 'failed' },
  ),
  text('colours-in-utf-8', '\x1b[31mfailed\x1b[0m: Straße\n', {
    text_contains: ['failed: Straße'],
    text_lacks: ['[31m'],
  }),
];

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const chunkMark = (id: string): string => `<w:altChunk xmlns:r="${RELATIONS}" r:id="${id}"/>`;
const related = (
  parts: { id: string; target: string; data: string | Buffer; type?: string; external?: boolean }[],
) => [
  {
    name: 'word/_rels/document.xml.rels',
    data: `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${parts
      .map(
        ({ id, target, type = 'aFChunk', external }) =>
          `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"${external ? ' TargetMode="External"' : ''}/>`,
      )
      .join('')}</Relationships>`,
  },
  ...parts
    .filter(({ external }) => !external)
    .map(({ target, data }) => ({ name: target.startsWith('/') ? target.slice(1) : `word/${target}`, data })),
];
const word = fileOf('docx-altchunk', 'docx');
const withChunk = (id: string, target: string, data: string | Buffer, expect: Expected): ReadingCase =>
  word(
    id,
    docx(paragraph('Before.') + chunkMark('c1') + paragraph('After.'), related([{ id: 'c1', target, data }])),
    {
      in_order: ['Before.', 'After.'],
      ...expect,
    },
  );
const mhtml = (encoding: string, content: string): string =>
  `MIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary="b=_1"\r\n\r\npreamble\r\n--b=_1\r\nContent-Type: text/html; charset="utf-8"\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${content}\r\n--b=_1\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\nContent-Location: a.png\r\n\r\niVBORw0KGgo=\r\n--b=_1--\r\n`;

const ALT_CHUNKS: ReadingCase[] = [
  withChunk('chunk-text', 'note.txt', 'Grüße aus dem Stall.', {
    in_order: ['Before.', 'Grüße aus dem Stall.', 'After.'],
  }),
  withChunk(
    'chunk-xhtml',
    'a.xhtml',
    '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><p>Hay &amp; straw.</p></body></html>',
    { text_contains: ['Hay & straw.'] },
  ),
  withChunk('chunk-absolute-target', '/chunks/a.htm', '<p>Oats are dry.</p>', {
    in_order: ['Before.', 'Oats are dry.', 'After.'],
  }),
  withChunk('chunk-docx', 'inner.docx', docx(paragraph('The inner barn.')), {
    in_order: ['Before.', 'The inner barn.', 'After.'],
  }),
  withChunk('chunk-hidden-html', 'a.htm', '<p style="display:none">quixotic</p><p>Oats are dry.</p>', {
    text_contains: ['Oats are dry.'],
    text_lacks: ['quixotic'],
  }),
  withChunk(
    'chunk-mht-base64',
    'a.mht',
    mhtml('base64', Buffer.from('<p>Café au lait.</p>').toString('base64')),
    { text_contains: ['Café au lait.'], text_lacks: ['preamble', 'iVBOR'] },
  ),
  withChunk('chunk-mht-plain', 'a.mht', mhtml('8bit', '<p>Oats are dry.</p>'), {
    text_contains: ['Oats are dry.'],
  }),
  withChunk(
    'chunk-legacy-encoding',
    'a.htm',
    Buffer.concat([Buffer.from('<meta charset="koi8-r"><p>'), encoded(RUSSIAN, 'koi8-r')]),
    { text_contains: [RUSSIAN] },
  ),
  word(
    'two-chunks',
    docx(
      chunkMark('c1') + paragraph('Middle.') + chunkMark('c2'),
      related([
        { id: 'c1', target: 'a.htm', data: '<p>First stall.</p>' },
        { id: 'c2', target: 'b.htm', data: '<p>Second stall.</p>' },
      ]),
    ),
    { in_order: ['First stall.', 'Middle.', 'Second stall.'] },
  ),
  word(
    'same-chunk-twice',
    docx(
      chunkMark('c1') + paragraph('Middle.') + chunkMark('c1'),
      related([{ id: 'c1', target: 'a.htm', data: '<p>First stall.</p>' }]),
    ),
    { count: { 'First stall.': 2 } },
  ),
  word('missing-chunk', docx(paragraph('Before.') + chunkMark('gone') + paragraph('After.')), {
    in_order: ['Before.', 'After.'],
  }),
  word(
    'external-chunk',
    docx(
      paragraph('Before.') + chunkMark('c1') + paragraph('After.'),
      related([{ id: 'c1', target: 'http://127.0.0.1:9/a.htm', data: '', external: true }]),
    ),
    { in_order: ['Before.', 'After.'] },
  ),
  word(
    'unused-chunk',
    docx(paragraph('Before.'), related([{ id: 'c1', target: 'a.htm', data: '<p>quixotic</p>' }])),
    { text_lacks: ['quixotic'] },
  ),
  word(
    'header-and-footer',
    docx(
      `${paragraph('The body.')}<w:sectPr xmlns:r="${RELATIONS}"><w:headerReference w:type="default" r:id="h"/><w:footerReference w:type="default" r:id="f"/></w:sectPr>`,
      related([
        {
          id: 'h',
          target: 'header1.xml',
          type: 'header',
          data: `<w:hdr xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${paragraph('Head of the sheet.')}</w:hdr>`,
        },
        {
          id: 'f',
          target: 'footer1.xml',
          type: 'footer',
          data: `<w:ftr xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${paragraph('Foot of the sheet.')}</w:ftr>`,
        },
      ]),
    ),
    {
      text_contains: ['Head of the sheet.', 'The body.', 'Foot of the sheet.'],
      count: { 'Head of the sheet.': 1 },
    },
  ),
  word(
    'comment',
    docx(`<w:p><w:r><w:t>The clause.</w:t></w:r><w:r><w:commentReference w:id="0"/></w:r></w:p>`, [
      {
        name: 'word/comments.xml',
        data: `<w:comments xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:comment w:id="0" w:author="Ines">${paragraph('Ask the notary.')}</w:comment></w:comments>`,
      },
    ]),
    { text_contains: ['The clause.', 'Ask the notary.'] },
  ),
];

const ruby = fileOf('docx-ruby', 'docx');
const rubyOf = (base: string, reading: string): string =>
  `<w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>${reading}</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>${base}</w:t></w:r></w:rubyBase></w:ruby></w:r>`;
const rubyPage = fileOf('docx-ruby', 'html');
const RUBY: ReadingCase[] = [
  ruby(
    'ruby-two-words',
    docx(`<w:p>${rubyOf('東京', 'とうきょう')}<w:r><w:t>と</w:t></w:r>${rubyOf('大阪', 'おおさか')}</w:p>`),
    { text_contains: ['東京と大阪'], text_lacks: ['とうきょう', 'おおさか'] },
  ),
  ruby(
    'ruby-in-table',
    docx(`<w:tbl><w:tr><w:tc><w:p>${rubyOf('漢字', 'かんじ')}</w:p></w:tc></w:tr></w:tbl>`),
    { text_contains: ['漢字'], text_lacks: ['かんじ'] },
  ),
  ruby('ruby-pinyin', docx(`<w:p>${rubyOf('北京', 'Běijīng')}<w:r><w:t>欢迎你</w:t></w:r></w:p>`), {
    text_contains: ['北京欢迎你'],
    text_lacks: ['Běijīng'],
  }),
  rubyPage('ruby-rtc', '<meta charset=utf-8><ruby><rb>東<rb>京<rtc><rt>とう<rt>きょう</rtc></ruby>へ行く', {
    text_contains: ['東京へ行く'],
    text_lacks: ['とう'],
  }),
  rubyPage('ruby-unclosed', '<meta charset=utf-8><p><ruby>植<rp>(<rt>しょく<rp>)</ruby>物園へ', {
    text_contains: ['植物園へ'],
    text_lacks: ['しょく', '('],
  }),
  rubyPage('ruby-by-letter', '<meta charset=utf-8><p><ruby>植<rt>しょく</rt>物<rt>ぶつ</rt></ruby>園です。', {
    text_contains: ['植物園です。'],
    text_lacks: ['ぶつ'],
  }),
];

const MAILS: ReadingCase[] = [
  fileOf('mail', 'mht')('saved-page', mhtml('8bit', '<p>Oats are dry.</p>'), {
    text_contains: ['Oats are dry.'],
    text_lacks: ['iVBOR'],
  }),
  fileOf('mail', 'eml')(
    'text-of-any-kind',
    'Subject: Visit\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nSee you.\r\n' +
      '--b\r\nContent-Type: text/calendar\r\n\r\nBEGIN:VCALENDAR\r\nLOCATION:Boathou\r\n se\\, upstairs\r\nEND:VCALENDAR\r\n--b--\r\n',
    { text_contains: ['See you.', 'Boathouse, upstairs'], found_by: ['boathouse'] },
  ),
  fileOf('text', 'jsonl')('escaped-json', String.raw`{"a": "\u9000\u6b3e M\u00fcller\nlantern"}`, {
    text_contains: ['退款 Müller'],
    found_by: ['退款', 'Müller', 'lantern'],
  }),
];

export const OWN_FILES = [...HTML, ...ENCODINGS, ...ALT_CHUNKS, ...RUBY, ...MAILS];

const drawing = fileOf('svg-text', 'html');
const drawn = (id: string, inner: string, expect: Expected): ReadingCase =>
  drawing(
    id,
    `<meta charset=utf-8><title>Plan</title><p>Before.</p><svg viewBox="0 0 9 9">${inner}</svg><p>After.</p>`,
    { ...expect, in_order: ['Before.', ...(expect.in_order ?? []), 'After.'] },
  );

const DRAWINGS: ReadingCase[] = [
  drawn('svg-text', '<text x="1" y="2">Pump room</text>', { in_order: ['Pump room'] }),
  drawn('svg-two-texts', '<text>Inlet</text><text>Outlet</text>', { text_contains: ['Inlet Outlet'] }),
  drawn('svg-lines', '<text><tspan x="0">first</tspan><tspan x="0" dy="1em">second</tspan></text>', {
    text_contains: ['first second'],
  }),
  drawn('svg-tspan-in-word', '<text>wat<tspan fill="red">er</tspan>wheel</text>', {
    text_contains: ['waterwheel'],
  }),
  drawn('svg-title', '<title>Map of the harbour</title><desc>The pier lies north.</desc><path d="M0 0"/>', {
    in_order: ['Map of the harbour', 'The pier lies north.'],
  }),
  drawn('svg-page-inside', '<foreignObject><p>The kettle boils.</p></foreignObject>', {
    in_order: ['The kettle boils.'],
  }),
  drawn(
    'svg-hidden',
    '<text display="none">quixotic</text><text visibility="hidden">zymurgy</text><text style="opacity:0">vizier</text><text>Pump</text>',
    { in_order: ['Pump'], text_lacks: ['quixotic', 'zymurgy', 'vizier'] },
  ),
  drawn(
    'svg-other-parts',
    '<style>.a{fill:red}</style><script>let quixotic;</script><metadata>zymurgy</metadata><defs><text id="a">Lock gate</text></defs>',
    { in_order: ['Lock gate'], text_lacks: ['fill', 'quixotic', 'zymurgy'] },
  ),
  drawn(
    'svg-link',
    '<a href="#"><text>Lock keeper</text></a><text><textPath href="#p">a bend</textPath></text>',
    {
      in_order: ['Lock keeper', 'a bend'],
    },
  ),
  drawing('svg-in-line', '<meta charset=utf-8><p>Press<svg><title>gear</title></svg>to start.</p>', {
    text_contains: ['Press gear to start.'],
  }),
  drawing(
    'svg-sprite',
    '<meta charset=utf-8><svg width="0" height="0"><symbol><title>quixotic</title></symbol></svg><p>After.</p>',
    { text_contains: ['After.'], text_lacks: ['quixotic'] },
  ),
];

/** Cases that are read without a search. */
export const READ_FILES = [...DRAWINGS];
