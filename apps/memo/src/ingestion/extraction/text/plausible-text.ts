/** Statistics of bytes take one encoding for another. These signs of a wrong one are rare in text of any language. */
const FOREIGN = /[^\p{ASCII}]/u;
const WORD = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}\p{N}]*[^\p{ASCII}\s]+[\p{L}\p{M}\p{N}]*/gu;
const TYPOGRAPHY = /[‘’‚“”„†‡•…‰‹›«»–—€°§©®™·¿¡£¥¢ªº¹²³¼½¾±×÷№␠\u00a0]/gu;
const CAPITAL_INSIDE = /\p{Ll}\p{Lu}/u;
/** Accented letters are at most two in a row in languages of Latin script. */
const LATIN_RUN = /[\u0080-\u024f]{4}/u;
const SYMBOL_INSIDE = /\p{L}[^\p{L}\p{M}\p{N}\s'’‘‐-—·\-.,:;!?"”“„«»)(\]/&@…]\p{L}/u;
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
const IMPOSSIBLE = /[\u0080-\u009f\ufffd\p{Co}\p{Cn}]|\p{L}[\u2500-\u259f]\p{L}|®\p{Ll}/gu;
/** Damaged texts have a few. */
const MAX_IMPOSSIBLE_SHARE = 0.001;
const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;
/** Names stand in East Asian text, but most of it is not between Latin letters. */
const MAX_BESIDE_LATIN_SHARE = 0.5;

const isLatin = (character = ''): boolean => character >= 'a' && character <= 'z';

/** Whether a decoded text is East Asian, rather than Latin words whose accented letters were read as pairs of bytes. */
export function isPlausibleEastAsian(text: string): boolean {
  let runs = 0;
  let besideLatin = 0;
  for (const { index, 0: run } of text.matchAll(EAST_ASIAN)) {
    runs += 1;
    if (isLatin(text[index - 1]) || isLatin(text[index + run.length])) besideLatin += 1;
  }
  return besideLatin <= runs * MAX_BESIDE_LATIN_SHARE;
}

/** A long ASCII text with a few stray bytes is read; in a shorter one they are the only evidence of its encoding. */
const CHARACTERS_PER_STRAY = 2_000;

/** Whether a decoded text looks like language rather than like bytes in a wrong encoding. */
export function isPlausible(text: string): boolean {
  if ((text.match(IMPOSSIBLE)?.length ?? 0) > text.length * MAX_IMPOSSIBLE_SHARE) return false;
  const words = text.match(WORD) ?? [];
  const strange = words.filter(isStrange).length;
  return (
    strange <=
    Math.max(words.length * MAX_STRANGE_SHARE, words.length >= 5 ? 1 : 0, text.length / CHARACTERS_PER_STRAY)
  );
}

function isStrange(word: string): boolean {
  const letters = word.replace(TYPOGRAPHY, '');
  if (!FOREIGN.test(letters)) return SYMBOL_INSIDE.test(word);
  if (!/\p{L}/u.test(letters)) return true;
  return (
    CAPITAL_INSIDE.test(letters) ||
    LATIN_RUN.test(letters) ||
    SYMBOL_INSIDE.test(letters) ||
    SCRIPTS.filter((script) => script.test(letters)).length > 1
  );
}
