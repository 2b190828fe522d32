import { isOfOneAlphabet } from './alphabets';
import { countStopWords } from '../../../retrieval/analysis/stop-words';

/** Statistics of bytes take one encoding for another. These signs of a wrong one are rare in text of any language. */
const FOREIGN = /[^\p{ASCII}]/u;
const WORD = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}\p{N}]*[^\p{ASCII}\s]+[\p{L}\p{M}\p{N}]*/gu;
const TYPOGRAPHY = /[‘’‚“”„†‡•…‰‹›«»–—€°§©®™·¿¡£¥¢ªº¹²³¼½¾±×÷№␠\u00a0]/gu;
const CAPITAL_INSIDE = /\p{Ll}\p{Lu}/u;
/** Accented letters are at most two in a row in languages of Latin script. */
const LATIN_RUN = /[\u0080-\u024f]{4}/u;
const SYMBOL_INSIDE = /\p{L}[^\p{L}\p{M}\p{N}\s'’‘‐-—·\-.,:;!?"”“„«»)(\]/&@…]\p{L}/u;
/** Superscripts stand behind words, not in them. */
const NUMBER_INSIDE = /\p{L}\p{No}\p{L}/u;
/** Currencies and marks of notes stand at the ends of words, not in front of letters. */
const SIGN_INSIDE = /\p{L}[¥£¢¤§¶±ºª]\p{L}|[±©®¹²³¼½¾]\p{L}|\p{Ll}[±‡]/u;
/** This letter ends a Greek word. */
const FINAL_SIGMA_INSIDE = /ς\p{L}/u;
/** Letters of Macintosh, such as ñ, read as dashes. English writes a dash so between two words. */
const DASH_INSIDE = /\p{Ll}[–—]\p{Ll}/u;
/**
 * Letters of the bytes that other encodings of Latin script use for ř, ů, ě, ı, ş and others. Icelandic and Faroese have some of them
 * and are refused as well.
 */
const NOT_WESTERN = /[þÞðÐýÝ]|Ÿ\p{Ll}|[ìòù]\p{L}|ç[b-df-hj-np-tv-z]|ø.*[íšž]|[íšž].*ø/u;
/** Names from Iceland or Turkey stand in other texts. */
const MAX_NOT_WESTERN_SHARE = 0.05;
/** Letters of Serbian and Macedonian, and those that only other languages of the script have. Macintosh has its capitals at the bytes of the first. */
const SOUTH_SLAVIC = /[ЂЃЉЊЌЋЏђѓљњќћџ]/gu;
const NOT_SOUTH_SLAVIC = /[йщъыьэюя]/iu;
/** Macintosh has я where windows-1251 has its capital. */
const CAPITAL_YA = /[а-яё]Я/;
const MAX_SOUTH_SLAVIC_SHARE = 0.005;
/** Encodings of Polish, Czech, Hungarian and others. Bytes of Macintosh read in them are letters as well, but the small words tell the language. */
const CENTRAL_EUROPEAN = new Set(['windows-1250', 'iso-8859-2']);
const CENTRAL_LANGUAGES = ['hu', 'ro'];
const MIN_FOREIGN_STOP_WORDS = 3;
const SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
];
/** Share of strange words among those with foreign letters. Half refuses texts with many names of products; twice accepts gibberish. */
const MAX_STRANGE_SHARE = 0.2;

/** Never in text, or not inside words. */
const IMPOSSIBLE = /[\u0080-\u009f\ufffd\p{Co}\p{Cn}]|\p{L}[\u2500-\u259f]\p{L}|[®©]\p{Ll}|\p{Ll}[ˆ˜]\p{L}/gu;
const CONTROL = /[\u0080-\u009f]/;
/** Damaged texts have a few. */
const MAX_IMPOSSIBLE_SHARE = 0.001;
const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;
/** Names stand in East Asian text, but most of it is not between Latin letters. */
const MAX_BESIDE_LATIN_SHARE = 0.5;

const isLatin = (character = ''): boolean => character >= 'a' && character <= 'z';

/** Whether a decoded text is East Asian, rather than Latin words whose accented letters were read as pairs of bytes. */
export function isPlausibleEastAsian(text: string): boolean {
  const letters = text.match(EAST_ASIAN)?.join('').length ?? 0;
  // Bytes of DOS that a double-byte encoding lacks become controls, which no text shows.
  if (CONTROL.test(text)) return false;
  if (letters === 0) return isPlausible(text, '');
  if ((text.match(HALF_WIDTH_LETTERS)?.length ?? 0) > letters * MAX_HALF_WIDTH_SHARE) return false;
  let runs = 0;
  let besideLatin = 0;
  for (const { index, 0: run } of text.matchAll(EAST_ASIAN)) {
    runs += 1;
    if (isLatin(text[index - 1]) || isLatin(text[index + run.length])) besideLatin += 1;
  }
  return besideLatin <= runs * MAX_BESIDE_LATIN_SHARE;
}

/** A consonant with its marks in their order, a vowel that stands alone, a digit or a sign. Bytes of other encodings are in no such order. */
const THAI_UNIT = /(?:[เ-ไ]?[ก-ฮ](?:[ัิ-ู็]?[่-๋]?[์ํ]?|ฺ)|[ะาำๅฯๆ฿๏-๛])/y;
const THAI_RUN = /[\u0e01-\u0e5b]+/g;
const MIN_THAI = 20;
/** In Thai text a quarter of the characters are marks, and one of fifty is a rare consonant. Pairs of bytes have fewer marks, and all consonants. */
const THAI_MARKS = /[ัิ-ู็-์]/g;
const MIN_THAI_MARK_SHARE = 0.15;
const RARE_IN_THAI = /[ฃฅฆฌฎ-ฒฬฮ]/g;
const MAX_RARE_IN_THAI_SHARE = 0.1;

/** Whether a decoded text is Thai: all of its foreign letters are, and stand in the order of Thai syllables. */
export function isThai(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  if (/[^\u0000-\u007f\u00a0\u0e01-\u0e5b‘’“”•–—…€]/.test(text)) return false;
  const runs = text.match(THAI_RUN) ?? [];
  const letters = runs.join('');
  const count = (pattern: RegExp): number => letters.match(pattern)?.length ?? 0;
  return (
    letters.length >= MIN_THAI &&
    count(THAI_MARKS) >= letters.length * MIN_THAI_MARK_SHARE &&
    count(RARE_IN_THAI) <= letters.length * MAX_RARE_IN_THAI_SHARE &&
    runs.every(isInThaiOrder)
  );
}

function isInThaiOrder(run: string): boolean {
  THAI_UNIT.lastIndex = 0;
  while (THAI_UNIT.lastIndex < run.length) if (!THAI_UNIT.test(run)) return false;
  return true;
}

/** A long ASCII text with a few stray bytes is read; in a shorter one they are the only evidence of its encoding. */
const CHARACTERS_PER_STRAY = 2_000;

/** Fewer words with foreign letters may be in any of several languages. Half takes Turkish for Polish; twice refuses most short texts. */
const MIN_FOREIGN_WORDS = 6;
/** Nearly all texts without a declaration are in it. */
const MIN_WESTERN_FOREIGN_WORDS = 4;
/** A text in one of the languages of windows-1252 has some of their most frequent words. */
const WESTERN_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'da', 'sv', 'no', 'fi'];
const MIN_WESTERN_WORDS = 2;
/** Words of letters whose bytes are the same in windows-1250, -1252, -1254 and -1257, so that it makes no difference in which they are. */
const COMMON_LATIN_WORD = /^(?=.*[a-z])(?!.*[ÄÉÖÜßäéöü]{3})[a-z\d'’ÄÉÖÜßäéöü]+$/i;
/** Russian of Shift JIS, each letter of which has the byte of an opening quotation mark. */
const LOW_QUOTES = /„.?(?:„|$)/;
const MIN_EAST_ASIAN = 12;
const MIN_CHINESE = 4;
/** Words of Cyrillic and Greek letters consist of bytes from here on. */
const LETTER_BYTES = 0xc0;
/** The pairs of Korean begin with a lesser byte. */
const AFTER_HANGUL = 0xc9;
const HALF_WIDTH = /[\uff61-\uff9f\ufffd]/;
const HALF_WIDTH_LETTERS = /[\uff61-\uff9f]/g;
/** Single bytes of other encodings, such as Thai, read as Shift JIS give half-width letters; Japanese texts have a few names in them. */
const MAX_HALF_WIDTH_SHARE = 0.3;

/** Whether a text is long enough, or has signs enough, to be in one encoding only. @param bytes of the text */
export function isEvident(text: string, encoding: string, bytes: Uint8Array): boolean {
  const eastAsian = text.match(EAST_ASIAN)?.join('') ?? '';
  if (eastAsian.length >= MIN_EAST_ASIAN) return true;
  if (eastAsian.length > 0 || HALF_WIDTH.test(text))
    return encoding === 'gb18030' && eastAsian.length >= MIN_CHINESE && isChineseOnly(bytes);
  if (LOW_QUOTES.test(text)) return false;
  const words = text.match(WORD) ?? [];
  if (/[a-z]/i.test(text) && !FOREIGN.test(text.replace(TYPOGRAPHY, ''))) return true;
  const letters = words.map((word) => word.replace(TYPOGRAPHY, '')).filter((word) => word !== '');
  if (letters.length > 0 && letters.every((word) => COMMON_LATIN_WORD.test(word))) return true;
  if (encoding !== 'windows-1252') return words.length >= MIN_FOREIGN_WORDS;
  return words.length >= MIN_WESTERN_FOREIGN_WORDS || hasWesternWords(text);
}

/** Whether the pairs of bytes cannot be words in another encoding. */
function isChineseOnly(bytes: Uint8Array): boolean {
  const high = bytes.filter((byte) => byte >= 0x80);
  return (
    high.some((byte) => byte < LETTER_BYTES) && high.some((byte, at) => at % 2 === 0 && byte >= AFTER_HANGUL)
  );
}

function hasWesternWords(text: string): boolean {
  const words = new Set(text.toLowerCase().match(/\p{L}{2,}/gu));
  return WESTERN_LANGUAGES.some((language) => countStopWords(words, language) >= MIN_WESTERN_WORDS);
}

/** Whether a decoded text looks like language rather than like bytes in a wrong encoding. */
export function isPlausible(text: string, encoding: string): boolean {
  if ((text.match(IMPOSSIBLE)?.length ?? 0) > text.length * MAX_IMPOSSIBLE_SHARE) return false;
  const words = text.match(WORD) ?? [];
  const foreign = encoding === 'windows-1252' ? words.filter((word) => NOT_WESTERN.test(word)).length : 0;
  if (foreign > words.length * MAX_NOT_WESTERN_SHARE) return false;
  if (isOfOtherLanguage(text, encoding)) return false;
  const strange = words.filter(isStrange).length;
  return (
    strange <=
    Math.max(words.length * MAX_STRANGE_SHARE, words.length >= 5 ? 1 : 0, text.length / CHARACTERS_PER_STRAY)
  );
}

/** Whether the words of a text are of a language that is not written in the encoding. */
function isOfOtherLanguage(text: string, encoding: string): boolean {
  const southSlavic = text.match(SOUTH_SLAVIC)?.length ?? 0;
  if (!isOfOneAlphabet(text, encoding) || (CAPITAL_YA.test(text) && !text.includes('я'))) return true;
  if (southSlavic > text.length * MAX_SOUTH_SLAVIC_SHARE && NOT_SOUTH_SLAVIC.test(text)) return true;
  const hasForeign = FOREIGN.test(text.replace(TYPOGRAPHY, ''));
  if (!hasForeign && DASH_INSIDE.test(text) && !isRatherEnglish(text)) return true;
  if (encoding === 'windows-1252') return hasForeign && !/[a-z]/i.test(text);
  if (!CENTRAL_EUROPEAN.has(encoding)) return false;
  const words = new Set(text.toLowerCase().match(/\p{L}{3,}/gu));
  const most = (languages: string[]): number =>
    Math.max(...languages.map((language) => countStopWords(words, language)));
  const foreign = most([...WESTERN_LANGUAGES, 'tr']);
  return foreign >= MIN_FOREIGN_STOP_WORDS && foreign > most(CENTRAL_LANGUAGES);
}

function isRatherEnglish(text: string): boolean {
  const words = new Set(text.toLowerCase().match(/\p{L}+/gu));
  const [english = 0, ...others] = WESTERN_LANGUAGES.map((language) => countStopWords(words, language));
  return english >= Math.max(...others);
}

function isStrange(word: string): boolean {
  const letters = word.replace(TYPOGRAPHY, '');
  if (SIGN_INSIDE.test(word) || FINAL_SIGMA_INSIDE.test(word)) return true;
  if (!FOREIGN.test(letters)) return SYMBOL_INSIDE.test(word) || NUMBER_INSIDE.test(word);
  if (!/\p{L}/u.test(letters)) return true;
  return (
    CAPITAL_INSIDE.test(letters) ||
    LATIN_RUN.test(letters) ||
    NUMBER_INSIDE.test(word) ||
    SYMBOL_INSIDE.test(letters) ||
    SCRIPTS.filter((script) => script.test(letters)).length > 1
  );
}
