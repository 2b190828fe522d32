import { type ReadingCase } from './reading-case.fixture';

/** Cases of Markdown rules, of invisible and of equal characters, as files in UTF-8. */

const markdown = (id: string, text: string, expect: ReadingCase['expect']): ReadingCase => ({
  id,
  kind: 'markdown-rule',
  name: `${id}.md`,
  content: Buffer.from(text),
  expect: { status: 'ready', ...expect },
});

const plain = (kind: string, id: string, text: string, expect: ReadingCase['expect']): ReadingCase => ({
  id,
  kind,
  name: `${id}.txt`,
  content: Buffer.from(text),
  expect: { status: 'ready', ...expect },
});

const MARKDOWN: ReadingCase[] = [
  markdown('rule-list', '---\n- milk\n- eggs\n---\nShopping is done weekly.\n', {
    text_contains: ['milk', 'eggs', 'Shopping is done weekly.'],
  }),
  markdown('rule-heading', '---\n# Harvest plan\n---\nApples come first.\n', {
    text_contains: ['Harvest plan', 'Apples come first.'],
  }),
  markdown('rule-address', '---\nhttps://example.com/barn\n---\nSee the barn.\n', {
    text_contains: ['example.com/barn', 'See the barn.'],
  }),
  markdown(
    'rule-sentence-with-colon',
    '---\nPlease note: the well is closed. Use the pump.\n---\nThanks.\n',
    {
      text_contains: ['Thanks.'],
    },
  ),
  markdown('rule-two-sentences', '---\nThe mill turns.\nIts miller sleeps: always.\n---\nFlour is sold.\n', {
    text_contains: ['The mill turns.', 'Its miller sleeps', 'Flour is sold.'],
  }),
  markdown('rule-unclosed', '---\ntitle: Unclosed\n\nA note that never ends its rule.\n', {
    text_contains: ['A note that never ends its rule.'],
  }),
  markdown('front-matter-dots', '---\ntitle: Dots\nowner: Wren\n...\nThe pump is oiled.\n', {
    text_contains: ['The pump is oiled.'],
    text_lacks: ['Wren'],
  }),
  markdown('front-matter-crlf', '---\r\ntitle: Lines\r\nowner: Wren\r\n---\r\nThe well is deep.\r\n', {
    text_contains: ['The well is deep.'],
    text_lacks: ['Wren'],
  }),
  markdown('front-matter-empty', '---\n---\nNothing stands between the rules.\n', {
    text_contains: ['Nothing stands between the rules.'],
  }),
  markdown(
    'front-matter-nested',
    '---\nauthor:\n  - name: Ines\n    role: keeper\ntags:\n  - owls\n---\nRaptors rest.\n',
    {
      text_contains: ['Raptors rest.'],
      text_lacks: ['keeper', 'owls'],
    },
  ),
  markdown('front-matter-quoted', '---\n"title": "A: B"\nnote: \'it: works\'\n---\nBridges hold.\n', {
    text_contains: ['Bridges hold.'],
    text_lacks: ['works'],
  }),
  markdown(
    'front-matter-folded',
    '---\nsummary: >-\n  a long line\n\n  after a blank one\nid: 7\n---\nCranes nest.\n',
    {
      text_contains: ['Cranes nest.'],
      text_lacks: ['blank one'],
    },
  ),
  markdown('front-matter-flow', '---\n{title: Flow, tags: [kelp]}\n---\nTides turn.\n', {
    text_contains: ['Tides turn.'],
    text_lacks: ['kelp'],
  }),
  markdown('front-matter-trailing-spaces', '---  \ntitle: Spaces\nby: Wren\n---\t\nSwifts fly.\n', {
    text_contains: ['Swifts fly.'],
    text_lacks: ['Wren'],
  }),
  markdown('front-matter-not-first', 'An opening line.\n\n---\ntitle: Later\n---\n\nA last line.\n', {
    text_contains: ['An opening line.', 'title: Later', 'A last line.'],
  }),
  markdown('rule-underscores', '___\n\nReeds are cut.\n\n___\n\nBoats are tarred.\n', {
    text_contains: ['Reeds are cut.', 'Boats are tarred.'],
  }),
  markdown('rule-spaced', '- - -\n\nSaltmarsh hay.\n\n- - -\n\nMeadow hay.\n', {
    text_contains: ['Saltmarsh hay.', 'Meadow hay.'],
  }),
  markdown('rule-four-dashes', '----\ntitle: not front matter\n----\nPlain remains.\n', {
    text_contains: ['title: not front matter', 'Plain remains.'],
  }),
  markdown('rule-chinese', '---\n\n第一章说明借阅规则。\n\n---\n\n第二章说明罚款。\n', {
    text_contains: ['第一章说明借阅规则。', '第二章说明罚款。'],
  }),
  markdown('rule-table', '---\n| Day | Tide |\n|---|---|\n| Monday | high |\n---\nEnd.\n', {
    text_contains: ['Monday', 'high', 'End.'],
  }),
  markdown('front-matter-chinese', '---\n标题: 规则\n作者: 办公室\n---\n泳池六点开放。\n', {
    text_contains: ['泳池六点开放。'],
    text_lacks: ['办公室'],
  }),
];

const controls = plain.bind(null, 'text-controls');
const CONTROLS: ReadingCase[] = [
  controls('form-feed-between-letters', 'osier\fwillow', {
    text_lacks: ['osierwillow'],
    found_by: ['osier', 'willow'],
  }),
  controls('form-feed-crlf', 'first leaf\r\n\f\r\nsecond leaf', {
    text_contains: ['first leaf second leaf'],
  }),
  controls('unit-separator-record', 'name\x1fharrow\x1ename\x1fplough', { found_by: ['harrow', 'plough'] }),
  controls('next-line', 'heron\u0085egret', { text_lacks: ['heronegret'], found_by: ['heron', 'egret'] }),
  controls('line-separator', 'otter\u2028mink', { found_by: ['otter', 'mink'] }),
  controls('paragraph-separator', 'otter\u2029mink', { found_by: ['otter', 'mink'] }),
  controls('escape-alone', 'green\x1bhouse', { text_contains: ['greenhouse'], text_lacks: ['\x1b'] }),
  controls('backspace', 'green\x08house', { text_contains: ['greenhouse'] }),
  controls('delete', 'green\x7fhouse', { text_contains: ['greenhouse'] }),
  controls('shift-out', 'green\x0ehouse\x0f keys', { text_contains: ['greenhouse keys'] }),
  controls('c1-controls', 'green\u0090house', { text_contains: ['greenhouse'] }),
  controls('vertical-tab-chinese', '上午开放\v下午关闭', {
    text_lacks: ['开放下午'],
    found_by: ['开放', '关闭'],
  }),
  controls('no-break-space', 'ten\u00a0tonnes', { found_by: ['tonnes'] }),
  controls('ideographic-space', '北门\u3000南门', { found_by: ['北门', '南门'] }),
  controls('carriage-return-only', 'larch\ralder\raspen', {
    text_lacks: ['larchalder'],
    found_by: ['alder'],
  }),
  controls('ogham-space', 'larch\u1680alder', { found_by: ['larch', 'alder'] }),
  controls('all-controls', `${String.fromCharCode(1, 2, 3, 4, 5, 6, 7)}sorrel`, {
    text_contains: ['sorrel'],
  }),
  {
    id: 'separators-json',
    kind: 'text-controls',
    json: { title: 'Values', text: 'teasel\x1cburdock\x1dyarrow\vtansy' },
    expect: { status: 'ready', found_by: ['teasel', 'burdock', 'yarrow', 'tansy'] },
  },
  {
    id: 'bell-json',
    kind: 'text-controls',
    json: { title: 'Bell', text: 'green\u0007house' },
    expect: { status: 'ready', text_contains: ['greenhouse'], found_by: ['greenhouse'] },
  },
];

const invisible = plain.bind(null, 'invisible');
const inside = (id: string, character: string): ReadingCase =>
  invisible(id, `The water${character}wheel turns.`, { found_by: ['waterwheel', `water${character}wheel`] });
const INVISIBLE: ReadingCase[] = [
  inside('word-joiner', '\u2060'),
  inside('zero-width-no-break', '\ufeff'),
  inside('combining-grapheme-joiner', '\u034f'),
  inside('hangul-filler', '\u3164'),
  inside('half-width-filler', '\uffa0'),
  inside('khmer-vowel', '\u17b4'),
  inside('mongolian-selector', '\u180b'),
  inside('invisible-times', '\u2062'),
  inside('nominal-digits', '\u206f'),
  inside('musical-beam', '\u{1d173}'),
  inside('shorthand-control', '\u{1bca0}'),
  inside('variation-supplement', '\u{e0101}'),
  inside('tag-letter', '\u{e0041}'),
  inside('right-to-left-mark', '\u200f'),
  inside('isolate', '\u2066'),
  inside('soft-hyphen-again', '\u00ad'),
  inside('joiner-latin', '\u200d'),
  invisible('ideographic-selector', '葛󠄀城市の図書館', { found_by: ['葛城市'] }),
  invisible('persian-non-joiner', 'می\u200cروم به خانه', {
    text_contains: ['می\u200cروم'],
    found_by: ['می\u200cروم', 'میروم'],
  }),
  invisible('only-in-query', 'The boathouse is locked.', {
    found_by: ['boat\u200bhouse', 'boat\u2060house'],
  }),
  invisible('chinese-zero-width', '图书\u200b馆周一闭馆', { found_by: ['图书馆'] }),
];

const letters = plain.bind(null, 'letters-digits');
const LETTERS: ReadingCase[] = [
  letters('bengali-digits', 'রুম ৩৪৮৭১', { found_by: ['34871'] }),
  letters('persian-digits', 'شماره ۹۱۷۳۵', { found_by: ['91735', '٩١٧٣٥'] }),
  letters('full-width-digits', '房间 ４１８２９', { found_by: ['41829'] }),
  letters('mathematical-digits', 'Code 𝟕𝟑𝟗𝟏𝟎', { found_by: ['73910'] }),
  letters('khmer-digits', 'បន្ទប់ ៥៨១៣៦', { found_by: ['58136'] }),
  letters('cantillation', 'בְּרֵאשִׁ֖ית בָּרָ֣א', { found_by: ['בראשית', 'ברא'] }),
  letters('hebrew-presentation', 'שּׁלום עולם', { found_by: ['שלום'] }),
  letters('arabic-points', 'مَكْتَبَةٌ كَبِيرَةٌ', { found_by: ['مكتبة', 'كبيرة'] }),
  letters('arabic-tatweel', 'مـــكتبة جديدة', { found_by: ['مكتبة'] }),
  letters('arabic-presentation', 'ﻣﻜﺘﺒﺔ', { found_by: ['مكتبة'] }),
  letters('persian-yeh', 'ایران', { found_by: ['ايران'] }),
  letters('alef-maksura', 'مستشفى', { found_by: ['مستشفي', 'مستشفی'] }),
  letters('teh-marbuta', 'مدرسة', { found_by: ['مدرسه'] }),
  letters('alef-forms', 'أكاديمية إدارة آداب', { found_by: ['اكاديمية', 'ادارة', 'اداب'] }),
  letters('half-width-kana', 'ﾃﾚﾋﾞを買う', { found_by: ['テレビ'] }),
  letters('ligature', 'The oﬃce and the ﬂoor.', { found_by: ['office', 'floor'] }),
  letters(
    'sharp-s-english',
    'She lives in the street called Lindenstraße near the market, and she likes it there.',
    {
      found_by: ['lindenstrasse', 'LINDENSTRASSE', 'Lindenstraße', 'lindenstraẞe'],
    },
  ),
  letters('sharp-s-words', 'Die Füße sind groß und die Straßen heiß.', {
    found_by: ['fuesse', 'gross', 'strassen'],
  }),
  letters('final-sigma', 'ΟΔΟΣ και πλατεία', { found_by: ['οδος', 'οδοσ'] }),
  letters('greek-accent', 'Η βιβλιοθήκη είναι κλειστή', { found_by: ['βιβλιοθηκη'] }),
  letters('turkish-dotless', 'Ilıca kaplıcası İzmir yolunda', { found_by: ['ilica', 'izmir'] }),
  letters('polish-stroke', 'Łódź leży w środku', { found_by: ['lodz'] }),
  letters('danish', 'Smørrebrød på Ærø', { found_by: ['smorrebrod', 'aero'] }),
  letters('cyrillic-yo', 'Ёлка стоит', { found_by: ['елка'] }),
  letters('decomposed', 'Cafe\u0301 Zu\u0308rich', { found_by: ['café', 'zürich', 'cafe'] }),
  letters('full-width-letters', 'ＡＰＩ キー', { found_by: ['api'] }),
  letters('mathematical-letters', 'The 𝐛𝐨𝐥𝐝 word', { found_by: ['bold'] }),
];

const finding = plain.bind(null, 'finding');
const FINDING: ReadingCase[] = [
  finding('code-with-hyphen', 'Replace part E-4711 first.', { found_by: ['E4711', 'e-4711', 'E 4711'] }),
  finding('code-without-hyphen', 'Replace part E4711 first.', { found_by: ['E-4711', 'E4711'] }),
  finding('camel-case', 'Call getUserName before saveAll.', {
    found_by: ['getUserName', 'getusername', 'user name'],
  }),
  finding('snake-case', 'Set max_retry_count to five.', { found_by: ['max_retry_count', 'retry count'] }),
  finding('grouped-number', 'The budget is 1,250,000 euros.', {
    found_by: ['1250000', '1,250,000', '1.250.000', "1'250'000"],
  }),
  finding('plain-number', 'The budget is 1250000 euros.', { found_by: ['1,250,000', '1 250 000'] }),
  finding('decimal-number', 'The ratio is 3.75 today.', { found_by: ['3.75'], not_found_by: ['375'] }),
  finding('umlaut', 'Frau Müller leitet das Büro.', { found_by: ['Mueller', 'muller', 'Müller'] }),
  finding('umlaut-written-out', 'Frau Mueller leitet den Laden.', { found_by: ['Müller'] }),
  finding('vietnamese', 'Thư viện mở cửa buổi sáng.', { found_by: ['thu vien', 'thư viện', 'buoi sang'] }),
  finding('vietnamese-stroke', 'Đường sắt đang sửa.', { found_by: ['duong sat'] }),
  finding('typo-swapped', 'The refrigerator hums.', { found_by: ['refrigeartor'] }),
  finding('typo-missing', 'The accommodation is full.', { found_by: ['accomodation'] }),
  finding('typo-extra', 'The calendar is new.', { found_by: ['calenndar'] }),
  finding('typo-replaced', 'The calendar is new.', { found_by: ['calender'] }),
  finding('typo-without-accents', 'La bibliothèque municipale est fermée.', {
    found_by: ['bibliotheqe', 'bibliothèqe', 'munciipale'],
  }),
  finding('number-full-width', '価格は１，２５０，０００円です。', {
    found_by: ['1,250,000', '1250000', '１，２５０，０００'],
  }),
  finding('code-written-apart', 'Certified by ISO 9001, valve E–4711.', {
    found_by: ['ISO9001', 'iso-9001', 'E4711'],
  }),
  finding('quotes-of-other-languages', 'Un grand vin rouge.', {
    found_by: ['«grand vin»', '« vin rouge »', '「grand vin」'],
    not_found_by: ['«vin grand»', '« grand rouge »', 'vin –rouge'],
  }),
  finding('typo-short', 'The boat is new.', { not_found_by: ['goat', 'boot'] }),
  finding('typo-number', 'Invoice 48275 is paid.', { not_found_by: ['48276', '48257'] }),
  finding('phrase', 'Red wine and white bread.', {
    found_by: ['"red wine"', '"white bread"'],
    not_found_by: ['"wine bread"', '"red bread"'],
  }),
  finding('phrase-chinese', '退款在五天内发放。', {
    found_by: ['"五天内发放"', '“五天内”'],
    not_found_by: ['"天五内"'],
  }),
  finding('minus', 'Jaguar cars are fast.', {
    found_by: ['jaguar -animal', 'jaguar'],
    not_found_by: ['jaguar -cars', 'jaguar -"are fast"'],
  }),
  finding('hyphen-is-no-minus', 'A well-known harbour.', { found_by: ['well-known', 'harbour - known'] }),
  {
    id: 'title-field',
    kind: 'finding',
    json: { title: 'Boiler manual', text: 'Open the valve slowly.' },
    expect: {
      status: 'ready',
      found_by: ['title:boiler', 'title:boiler valve', 'title:"boiler manual"'],
      not_found_by: ['title:valve', 'valve -title:boiler'],
    },
  },
];

export const OWN_TEXTS = [...MARKDOWN, ...CONTROLS, ...INVISIBLE, ...LETTERS, ...FINDING];

const brackets = (id: string, text: string, ...right: string[]): ReadingCase => ({
  ...markdown(id, text, { text_contains: right }),
  kind: 'words-in-brackets',
});
const kept = (id: string, text: string): ReadingCase => brackets(id, `${text}\n`, text);
const page = (id: string, inner: string, expect: ReadingCase['expect']): ReadingCase => ({
  id,
  kind: 'words-in-brackets',
  name: `${id}.html`,
  content: Buffer.from(`<meta charset=utf-8>${inner}<p>After.</p>`),
  expect: { ...expect, text_contains: [...(expect.text_contains ?? []), 'After.'] },
});

const BRACKETS: ReadingCase[] = [
  kept('generic', 'Use a List<String> here, then call sort.'),
  kept('generic-nested', 'Returns Map<String, List<Integer>> always.'),
  kept('generic-scoped', 'A std::vector<int> holds values.'),
  kept('generic-letter', 'An Optional<T> may be empty, a Promise<Response> not.'),
  kept('placeholder', 'Run ssh <user>@<host> and type <your-name>.'),
  kept('generic-first', '<T> void sort(List<T> list) sorts in place.'),
  kept('include', 'Write #include <vector> and #include <stdio.h> first.'),
  kept('named-as-element', 'A List<Object>, an Option<Title> and a Vec<Script> are typed. More follows.'),
  kept('element-in-prose', 'The <title> element names a page, a <div> groups, <script> runs.'),
  kept('end-tag-alone', 'The tag </String> closes <Enter> and <EOF>.'),
  kept('with-attributes', 'Use <mytag name="pump"> to begin and <Foo bar={1}> to go on.'),
  kept('comparison', 'If a < b and c > d then stop.'),
  kept('instruction', 'Start with <?php echo $pump; ?> and <![CDATA[raw]]> and <!DOCTYPE note>.'),
  brackets(
    'placeholder-line',
    'Before.\n\n<filename>\nis the **first** one.\n',
    '<filename> is the first one.',
  ),
  brackets('generic-in-code', '`A<B>`\n\n```\nC<D>\n```\n\n    E<F>\n', 'A<B>', 'C<D>', 'E<F>'),
  brackets(
    'generic-in-pre',
    '<pre>\nList<String> names;\n</pre>\n\nAfter.\n',
    'List<String> names;',
    'After.',
  ),
  brackets(
    'generic-in-blocks',
    '# Box<String>\n\n| List<Pump> | b |\n|---|---|\n\n- Set<Long>\n\n> Deque<Job>\n',
    'Box<String>',
    'List<Pump>',
    'Set<Long>',
    'Deque<Job>',
  ),
  {
    ...brackets(
      'elements-stay',
      'Press <kbd>Ctrl</kbd><br>now, <my-card>wait</my-card>.\n\n<div align="center">\n\n<b>Go</b>\n\n</div>\n',
    ),
    expect: { text_contains: ['Press Ctrl now, wait.', 'Go'], text_lacks: ['<', 'align'] },
  },
  {
    ...brackets('comment-stays', 'Text <!-- inline <T> --> after.\n\n<!-- <T> -->\n\nEnd.\n'),
    expect: { text_contains: ['Text after.', 'End.'], text_lacks: ['<', 'inline'] },
  },
  {
    ...brackets('drawing-stays', 'Before.\n\n<svg>\n<text>Pump <path d="M0 0"/>room</text>\n</svg>\n'),
    expect: { text_contains: ['Pump room'], text_lacks: ['<'] },
  },
  page('page-generic', '<p>Use a List<String> here.</p>', { text_contains: ['List<String> here.'] }),
  page('page-code', '<pre>Map<String, Integer> m;\nList<Foo> x;</pre>', {
    text_contains: ['Map<String, Integer> m;', 'List<Foo> x;'],
  }),
  page('page-placeholder', '<p>From <ines@example.com> to <yourname>.</p>', {
    text_contains: ['From <ines@example.com> to <yourname>.'],
  }),
  page('page-own-elements', '<my-app><o:p>The kettle</o:p> boils.</my-app><mystery>Oats</mystery>', {
    text_contains: ['The kettle boils.', 'Oats'],
    text_lacks: ['my-app', 'mystery', 'o:p'],
  }),
];

const front = (id: string, source: string, left: string[], right: string[] = []): ReadingCase => ({
  ...markdown(id, `---\n${source}\n---\nSwans rest.\n`, {
    text_contains: [...right, 'Swans rest.'],
    text_lacks: left,
  }),
  kind: 'front-matter',
});
const stays = (id: string, source: string, ...right: string[]): ReadingCase =>
  front(id, source, [], right.length > 0 ? right : [source]);
const ONE_KEY: ReadingCase[] = [
  front('one-title', 'title: Quixotic', ['title']),
  front('one-flow', 'tags: [kelp, owls]', ['kelp']),
  front('one-block', 'birds:\n  - kelp\n  - owls', ['kelp']),
  front('one-program-name', 'sidebar_position: 3', ['sidebar']),
  front('one-camel-name', 'editLink: quixotic', ['quixotic']),
  front('one-setting', 'glossary: false', ['glossary']),
  front('capital-names', 'Title: Quixotic\nKeeper: Wren', ['Wren']),
  stays('one-warning', 'Warning: The pump is closed until May.'),
  stays('one-note', 'note: the pump is closed until May'),
  stays('one-question', 'Question: Who feeds the swans?'),
  stays('one-phrase', 'Please note: the well is closed.'),
  stays('one-list', 'Shopping:\n- milk', 'Shopping', 'milk'),
  stays('hours', 'Monday: closed\nTuesday: nine to five', 'Monday: closed', 'nine to five'),
  stays('dialogue', 'Ingrid: Who is there?\nWren: Nobody.', 'Who is there?', 'Nobody.'),
  stays('time', 'Open 9:00 to 17:00'),
];

/** Cases that are read without a search. */
export const READ_TEXTS = [...BRACKETS, ...ONE_KEY];
