import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { LANGUAGES } from './languages';
import { analyzeQuery, parseQuery } from './query-analysis';
import { indexTermsOf, termsOf } from './terms';
import { isHanCharacter, simplifyChinese, tokenize } from './tokenizer';

const DIST = join(__dirname, '../../../../../dist/apps/memo/src/retrieval/analysis');

it('bounds the words of a query, also those that it excludes', () => {
  const words = Array.from({ length: 500 }, (_, n) => `word${n}`);
  const both = parseQuery([...words, ...words.map((word) => `-other${word}`)].join(' '));
  const { words: used } = analyzeQuery(both, ['en']);
  expect(used).toHaveLength(400);
  expect(used.filter(({ isExcluded }) => isExcluded)).toHaveLength(100);
});

it.each([
  ['バイオリンの音', 'ばいおりん'],
  ['ひらがなの本', 'ヒラガナ'],
  ['髙橋さんと﨑山さん', '高橋', '崎山'],
  ['Þórshöfn og Guðrún', 'thorshofn', 'gudrun'],
  ['Ħal Qormi', 'hal'],
  ['Qurʾān, ʿAbd, Hawaiʻi', 'quran', 'abd', 'hawaii'],
  ['O’Brien', 'obrien', "O'Brien"],
  ['ٱلكتاب', 'الكتاب'],
  ['צה״ל ג׳ורג׳', 'צהל', 'צה"ל', "ג'ורג'", 'גורג'],
  ['น\u0e4d\u0e49า', 'น้ำ'],
  ['ज़मीन', 'जमीन', 'ज\u093cमीन'],
  ['यह \u0958लम नई है', '\u0958लम', 'क\u093cलम', 'कलम'],
  ['यह क\u093cलम नई है', '\u0958लम', 'क\u093cलम', 'कलम'],
  ['यह कलम नई है', '\u0958लम', 'क\u093cलम'],
  ['स\u095cक और प\u095dना', 'सड\u093cक', 'सडक', 'पढ\u093cना', 'पढना'],
  ['\u095bिंदगी और फ\u093cिल्म', 'ज\u093cिंदगी', 'जिंदगी', '\u095eिल्म', 'फिल्म'],
  ['अ\u0929ाम', 'अन\u093cाम'],
  ['বা\u09dcি এবং সম\u09df', 'বাড\u09bcি', 'সময\u09bc'],
  ['ਖ\u0a3cਬਰ ਅਤੇ \u0a36ਹਿਰ', '\u0a59ਬਰ', 'ਸ\u0a3cਹਿਰ', 'ਸਹਿਰ', 'ਖਬਰ'],
  ['ବ\u0b5c', 'ବଡ\u0b3c'],
  ['価格は１，２５０，０００円', '1250000', '1,250,000', '１，２５０，０００'],
  ['١٬٢٥٠٬٠٠٠ دينار', '1250000', '1,250,000'],
  ['१,२५०,०००, 12,50,000', '1250000', '12,50,000'],
  ['1.250.000,50 und 1,375.25', '1250000', '1.250.000,50', '1375', '1375.25'],
  ['Ｅ－４７１１', 'E4711', 'E-4711'],
  ['E–4711 E−4712 E\u00ad-4713', 'E4711', 'E4712', 'E4713'],
  ['ISO 9001, DIN/476 und E.4711', 'ISO9001', 'DIN-476', 'E4711'],
  ['ABC-123-XY und HTML5Parser', 'ABC123', '123XY', 'html5'],
  ['größeMax, ПолучитьИмя, get\u200bUserName', 'größe', 'groesse', 'имя', 'user name'],
  [String.raw`print("one\ntwo\tthree")`, 'two', 'three'],
])('finds %s as people type it', (text, ...queries) => {
  const { terms, further } = indexTermsOf(text, 'en');
  const isFound = (query: string): boolean =>
    analyzeQuery(query, ['en']).words.every((word) =>
      [...word.terms, ...word.weakTerms].some((term) => terms.includes(term) || further.includes(term)),
    );
  expect(queries.filter((query) => !isFound(query))).toEqual([]);
});

describe('termsOf', () => {
  it.each([
    [
      'en',
      "Refunds are issued; the company's policies don't change.",
      'refund are issu the compani polici don chang',
    ],
    [
      'en',
      'Version 3.14 of 10,000 e-mails, C++ and ﬁle_names',
      'version 3 14 of 10 000 e mail c and file name',
    ],
    ['en', 'ＦＵＬＬ width １２３ and Café', 'full width 123 and cafe'],
    ['fr', 'l’eau d’un maître, qu’elle aujourd’hui', 'eau maitr elle aujourd hui'],
    ['de', 'Die Häuser der Straße', 'die haus der strass'],
    ['ru', 'книги и новые Windows updates', 'книг и нов window updat'],
    ['en', 'новые книги', 'нов книг'],
    ['vi', 'được không', 'được không'],
    ['en', '退款政策', '退 款 政 策 退款 款政 政策'],
    ['en', '發票', '发 票 发票'],
    ['en', '用 iPhone手机 拍', '用 iphon 手 机 手机 拍'],
    ['en', 'カタカナー', 'か た か な ー かた たか かな なー'],
    ['en', '한국어 책', '한국 국어 책'],
    ['en', '. , — “” 😀', ''],
  ])('stems words in %s: %s', (language, text, terms) => {
    expect(termsOf(text, language).join(' ')).toBe(terms);
  });

  it('finds words in scripts that do not separate them', () => {
    expect(termsOf('ภาษาไทยง่าย', 'en')).toEqual(['ภาษา', 'ไทย', 'ง่าย']);
  });

  it('accepts any text in any language and is deterministic', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(text, fc.constantFrom(...Object.keys(LANGUAGES)), (value, language) => {
        const terms = termsOf(value, language);
        expect(terms.every((term) => term.length > 0 && term.length <= 128)).toBe(true);
        expect(termsOf(value, language)).toEqual(terms);
      }),
    );
    expect(termsOf('ـ ﹻ', 'ar')).toEqual([]);
    expect(termsOf('constructor фуеїцлъєе '.repeat(2), 'bg')).toHaveLength(4);
    expect(termsOf('a'.repeat(1_000_000), 'it')).toEqual([expect.stringMatching(/^a{1,64}$/)]);
  });

  it('is the same for simplified and traditional Chinese, character by character', () => {
    expect(simplifyChinese('臺灣發票與圖書館，没变')).toBe('台湾发票与图书馆，没变');
    expect([...'一あ字'].map((character) => isHanCharacter(character))).toEqual([true, true, true]);
    expect(['a', '字字', '한'].map((token) => isHanCharacter(token))).toEqual([false, false, false]);
  });

  it('keeps the order of the text', () => {
    expect(tokenize('One two, 三四 five')).toEqual(['one', 'two', '三', '四', '三四', 'five']);
  });
});

describe('analyzeQuery', () => {
  const words = (query: string, languages = ['en']) =>
    analyzeQuery(query, languages).words.map(({ text, weight }) =>
      weight === 1 ? text : `${text}*${weight}`,
    );

  it.each([
    ['How many days does the refund of refunds take?', 'refund*2 days take'],
    ['Who is who?', 'who*2 is'],
    [
      '退款需要多久的时间？',
      '退款 款需 需要 时间 退*0.5 款*0.5 需*0.5 要*0.5 久*0.5 时*0.5 间*0.5 要多*0.5 多久*0.5 久的*0.5 的时*0.5',
    ],
    ['How do 发票 work?', '发票 work 发*0.5 票*0.5'],
  ])('%s', (query, expected) => {
    expect(words(query).join(' ')).toBe(expected);
  });

  it('omits the stop words of the language of the query', () => {
    expect(words('Was ist die Garantie der Drucker?', ['en', 'de'])).toEqual(['garantie', 'drucker']);
    expect(words('What is the die of the printer?', ['en', 'de'])).toEqual(['die', 'printer']);
  });

  /** Who, what, when, where, why, how, which and how much. */
  it.each([
    ['ar', 'من ماذا متى أين لماذا كيف أي كم'],
    ['bg', 'кой какво кога къде защо как коя колко'],
    ['da', 'hvem hvad hvornår hvor hvorfor hvordan hvilken meget'],
    ['de', 'wer was wann wo warum wie welche wieviel wen wem wessen woher wohin wieso weshalb womit wofür'],
    ['el', 'ποιος τι πότε πού γιατί πώς ποιο πόσο'],
    ['en', 'who what when where why how which much'],
    ['es', 'quién qué cuándo dónde cómo cuál cuánto'],
    ['fi', 'kuka mitä milloin missä miksi miten kuinka mikä paljonko'],
    ['fr', 'qui que quoi quand où pourquoi comment quel combien'],
    ['hi', 'कौन क्या कब कहाँ क्यों कैसे किस कितना'],
    ['hu', 'ki mit mikor hol miért hogyan melyik mennyi'],
    ['hy', 'ով ինչ երբ որտեղ ինչու ինչպես որ որքան'],
    ['it', 'chi cosa quando dove perché come quale quanto'],
    ['lt', 'kas ką kada kur kodėl kaip kuris kiek'],
    ['nl', 'wie wat wanneer waar waarom hoe welke hoeveel'],
    ['no', 'hvem hva når hvor hvorfor hvordan hvilket mye'],
    ['pt', 'quem que quando onde porque como qual quanto'],
    ['ro', 'cine ce când unde cum care cât câtă'],
    ['ru', 'кто что когда где почему как какой чей сколько'],
    ['sv', 'vem vad när var varför hur vilken många'],
    ['ta', 'யார் என்ன எப்போது எங்கே ஏன் எப்படி எந்த எவ்வளவு'],
    ['tr', 'kim ne nerede neden nasıl hangi kaç'],
    ['uk', 'хто що коли де чому як який скільки'],
    ['vi', 'ai gì khi nào đâu tại sao bao nhiêu'],
  ])('a query in %s has no content words: %s', (language, asking) => {
    expect(words(`${asking} X9`, [language])).toEqual(['x9']);
  });

  it('treats the stems of all languages as forms of one word', () => {
    const { words: found, wordIndexOf: placeOf } = analyzeQuery('settings', ['en', 'fr']);
    expect(found).toMatchObject([{ terms: ['set', 'setting'], weight: 1 }]);
    expect(['sets', 'setting', 'nothing'].map(placeOf)).toEqual([0, 0, -1]);
  });

  it('reports which words are adjacent', () => {
    const { words: found, adjacentWords: neighbours } = analyzeQuery('the red house in 北京 of red cats', [
      'en',
    ]);
    const pairs = neighbours.map(([one, other]) => `${found[one]!.text} ${found[other]!.text}`);
    expect(pairs).toEqual(['red house', 'red cats']);
  });

  it('limits the number of words of a query', () => {
    expect(words('退款政策'.repeat(1_000)).length).toBeLessThan(20);
    const long = Array.from({ length: 4_000 }, (_, n) => String.fromCharCode(0x4e00 + n)).join('');
    expect(words(long)).toHaveLength(400);
  });
});

/** In a separate process, because Jest cannot load the module that detects languages. */
function languagesOf(texts: string[]): string[] {
  const script = `require(process.argv[1]).loadLanguageDetector().then((languageOf) =>
    console.log(JSON.stringify(JSON.parse(process.argv[2]).map(languageOf))))`;
  const output = execFileSync(process.execPath, [
    '-e',
    script,
    join(DIST, 'language-detection.js'),
    JSON.stringify(texts),
  ]);
  return JSON.parse(output.toString()) as string[];
}

it('detects languages that have a stemmer, and uses English for others', () => {
  const texts = {
    en: 'Refunds are issued within five days of the return.',
    de: 'Erstattungen erfolgen innerhalb von fünf Tagen nach der Rückgabe.',
    fr: 'Les remboursements sont effectués dans les cinq jours suivant le retour.',
    ru: 'Возврат средств производится в течение пяти дней.',
    vi: 'Việc hoàn tiền được thực hiện trong vòng năm ngày.',
  };
  expect(languagesOf(Object.values(texts))).toEqual(Object.keys(texts));
  const others = [
    '退款在五天内发放，详见 refund policy。',
    '환불은 5일 이내에 이루어집니다.',
    '',
    '12345 !!',
    'Zwroty są realizowane w ciągu pięciu dni roboczych.',
  ];
  expect(languagesOf(others)).toEqual(others.map(() => 'en'));
});
