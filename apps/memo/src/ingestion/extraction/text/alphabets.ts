import { countStopWords } from '../../../retrieval/analysis/stop-words';

interface Alphabet {
  /** The letters besides those of ASCII, in lower case. */
  letters: Set<string>;
  /** Frequent words that other languages lack. */
  words: Set<string>;
}

const alphabet = (letters: string, words = ''): Alphabet => ({
  letters: new Set(letters),
  words: new Set(words.split(' ')),
});

/** Languages of the Baltic encodings, which statistics do not know: Lithuanian, Latvian, Estonian, and Polish, which windows-1257 also has. */
const BALTIC = [
  alphabet(
    'ąčęėįšųūž',
    'ir yra kad su nuo iš į kaip arba dėl apie prie kai buvo tik jis ji jie jų mūsų kurie',
  ),
  alphabet('āčēģīķļņšūž', 'ir uz lai pēc kā vai jau nav tika bija būs savu tās ļoti arī kur viņš'),
  alphabet('äõöüšž', 'ei et oma kui see mis või aga siis oli ning kell kes olid mida'),
  alphabet('ąćęłńóśźż', 'się nie jest że jak po od za dla są był przez oraz'),
];
/** Signs that only a wrong one of the Baltic encodings has. The first two have the same letters, and other quotation marks. */
const WRONG_SIGNS: Record<string, RegExp> = {
  'windows-1257': /[\u0080-\u009f\ufffd¡¥]/,
  'iso-8859-13': /[\u0080-\u009f\ufffd]/,
  'iso-8859-4': /[\u0080-\u009f\ufffd]/,
};
const MIN_LETTERS = 3;
/** So many different letters of one alphabet, and no other letter, are no accident. Half takes French for Latvian. */
const MIN_DISTINCT_LETTERS = 5;
/** With one word of the language. */
const MIN_DISTINCT_LETTERS_WITH_WORD = 4;
const MIN_WORDS = 2;
const WESTERN_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'da', 'sv', 'no', 'fi'];

/** Polish, Czech, Slovak, Hungarian, Romanian, the languages of former Yugoslavia, German and Albanian. */
const CENTRAL = [
  'ąćęłńóśźż',
  'áčďéěíňóřšťúůýž',
  'áäčďéíĺľňóôŕšťúýž',
  'áéíóöőúüű',
  'ăâîşţ',
  'čćđšž',
  'äöüßé',
  'ëç',
].map((letters) => alphabet(letters));
/** Of encodings that statistics name for languages of others. */
const ALPHABETS = new Map([
  ['windows-1250', CENTRAL],
  ['iso-8859-2', CENTRAL],
  ['windows-1254', [alphabet('çğıöşüâîû'), ...CENTRAL.slice(-2)]],
]);
/** Names from other countries stand in texts. Half refuses many short texts; twice accepts Lithuanian as Slovak. */
const MAX_OTHER_SHARE = 0.1;
const LETTER = /(?![a-z])\p{Ll}/gu;
const WORD = /\p{L}+/gu;

/** Latin words of programs have capitals inside. */
const CAPITAL_INSIDE = /\p{Ll}(?![A-Z])\p{Lu}/u;
/** Letters of other languages in a long text. */
const MAX_NAMES_SHARE = 0.02;

const foreignLetters = (text: string): string[] => text.toLowerCase().match(LETTER) ?? [];

/** The encoding of Baltic languages in which the bytes are text in one of them, or undefined. */
export function balticEncoding(decode: (encoding: string) => string): string | undefined {
  return Object.entries(WRONG_SIGNS).find(([encoding, wrong]) => {
    const text = decode(encoding);
    return !wrong.test(text) && isBaltic(text);
  })?.[0];
}

function isBaltic(text: string): boolean {
  const letters = foreignLetters(text);
  if (letters.length < MIN_LETTERS || CAPITAL_INSIDE.test(text)) return false;
  const words = new Set(text.toLowerCase().match(WORD));
  const western = Math.max(...WESTERN_LANGUAGES.map((language) => countStopWords(words, language)));
  return BALTIC.some((one) => {
    const others = letters.filter((letter) => !one.letters.has(letter)).length;
    if (others > letters.length * MAX_NAMES_SHARE) return false;
    const known = [...words].filter((word) => one.words.has(word)).length;
    const distinct =
      new Set(letters).size + (known > 0 ? MIN_DISTINCT_LETTERS - MIN_DISTINCT_LETTERS_WITH_WORD : 0);
    return distinct >= MIN_DISTINCT_LETTERS || (known >= MIN_WORDS && known > western);
  });
}

/** Without these letters of Turkish a text is the same in windows-1252, whose languages have ç before vowels. */
const TURKISH = /[ğışĞİŞ]/;
const NOT_BEFORE_VOWEL = /ç[b-df-hj-np-tv-z]/i;

/** Whether the letters of a text are of one language that is written in the encoding. */
export function isOfOneAlphabet(text: string, encoding: string): boolean {
  const alphabets = ALPHABETS.get(encoding);
  const letters = foreignLetters(text);
  if (encoding === 'windows-1254' && !TURKISH.test(text)) return !NOT_BEFORE_VOWEL.test(text);
  if (!alphabets || letters.length === 0) return true;
  const others = alphabets.map((one) => letters.filter((letter) => !one.letters.has(letter)).length);
  return Math.min(...others) <= Math.max(1, letters.length * MAX_OTHER_SHARE);
}

/** Encodings of East Asia have Cyrillic and Greek letters, too, each in a row of its own. */
const EAST_ASIAN_ENCODINGS = ['gb18030', 'euc-kr', 'shift_jis'];
const NOT_CYRILLIC_OR_GREEK =
  /(?![\p{Script=Cyrillic}\p{Script=Greek}\p{P}\p{S}\p{N}\p{White_Space}])[^\p{ASCII}]|[\u0080-\u009f\ufffd]/u;
const CYRILLIC = /\p{Script=Cyrillic}/gu;
const GREEK = /\p{Script=Greek}/gu;
const MIN_OTHER_SCRIPT = 6;

/** The encoding of East Asia in which the bytes are Russian or Greek text, or undefined. */
export function eastAsianEncodingOfOthers(decode: (encoding: string) => string): string | undefined {
  return EAST_ASIAN_ENCODINGS.find((encoding) => {
    const text = decode(encoding);
    if (NOT_CYRILLIC_OR_GREEK.test(text) || CAPITAL_INSIDE.test(text)) return false;
    const counts = [CYRILLIC, GREEK].map((script) => text.match(script)?.length ?? 0);
    return Math.max(...counts) >= MIN_OTHER_SCRIPT && Math.min(...counts) === 0;
  });
}

/** Frequent characters of Chinese texts and of Japanese ones, which the other language writes otherwise or seldom. */
const CHINESE = new Set(
  '的了不是在有这个们我他她你来到说时们地得着过对为从与以及或被把给让向往等其此该本各每某都也就还又才只已经将会能可应须请自之所而且但因' +
    '图书馆闭开周进关门问间闻见现观规视觉认识语话请读课谁谢谈设计许证词译试该详误诉评讲论让议记订计车轮转输软载较达过运还这进远连选递通' +
    '种类类别务动劳办力历厅压原去参双发变号各合同名后向吗启员周命和品响商问单卖南博厂产业东两严个中丰临为举义乐习乡书买乱争于云' +
    '亚亲亿仅从仓价众优会伟传伤体余佣使例供侧俩债值假偿储光党全公关兴养内册写军农冲决况准减几凭击划则刚创初利到制刷券刺剂剧' +
    '货质购费贷贸资赔赠退款换政策条收签票据账银钱铁错长门问题须顾预领颜额风飞饭馆首验高鱼鸟黄龙',
);
const JAPANESE = new Set(
  '東京都区市県町村駅線円様御的者会社員部課局庁省室館長員事業務所店品商売買料金税込別途送受付返却届出申請書類式会場図書館開閉関連実' +
    '際経済産業労働気対応発売変更単位価格団体図広告応募当選択読書語学楽駐車両輸転軽帰国際県検査権様歴渉温湯満点無為焼畑発県研究確認' +
    '私祝神秘程積算約紙組織結婚続編績線縁缶置習者聞職能脱自至舎航船良色荷落葉蔵薬術衛表裏製複見規視覧親観解記訪設許証評試話認誌' +
    '説読調論議護譲貸資質購送通速連週進遅運過道達違選郊部郡都配酒金釣鉄銀鋼録鐘開間関防降院際隣電霊静音頭題類風飛食飲館駅験高魚鳥黒' +
    '一二三四五六七八九十百千万年月日時分前後左右上下中外内東西南北丁目番地号',
);
/** One kana between characters belongs to a Japanese word; in Chinese texts Japanese names are whole. */
const KANA_INSIDE = /\p{Script=Han}[\u3041-\u3093]\p{Script=Han}/u;
const HAN = /\p{Script=Han}/gu;

/** Whether bytes that are characters of both languages are rather Japanese. @param chinese the bytes read as Chinese; @param japanese as Japanese */
export function isRatherJapanese(chinese: string, japanese: string): boolean {
  if (japanese.includes('\ufffd')) return false;
  const share = (text: string, frequent: Set<string>): number => {
    const characters = text.match(HAN) ?? [];
    return characters.filter((one) => frequent.has(one)).length / Math.max(1, characters.length);
  };
  const [ofChinese, ofJapanese] = [share(chinese, CHINESE), share(japanese, JAPANESE)];
  return ofJapanese > ofChinese && (KANA_INSIDE.test(japanese) || ofJapanese > 2 * ofChinese);
}
