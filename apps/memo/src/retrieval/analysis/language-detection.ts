import { characterClass, HAN, HANGUL } from './character-class';
import { DEFAULT_LANGUAGE, LANGUAGES } from './languages';

/** Number of characters that are examined. Twice as many take twice the time and rarely change the result; half are often too few. */
const SAMPLE_CHARACTERS = 400;
/**
 * A text with a larger share of Chinese, Japanese or Korean characters needs no stemming, except for words quoted in
 * it.
 */
const MAX_EAST_ASIAN_SHARE = 0.2;

/**
 * Texts whose score for the default language is close to the best score are names or mixed; the default language is
 * used.
 */
const MIN_DEFAULT_SCORE_RATIO = 0.97;

/** Returns the ISO 639-1 code of the language whose stemmer applies to a text. */
export type DetectLanguage = (text: string) => string;

/** Loading takes 250 ms and 90 MB, so only processes that index documents do it. */
export async function loadLanguageDetector(): Promise<DetectLanguage> {
  const { eld } = await import('eld/extrasmall');
  return (text) => {
    const beginning = text.slice(0, SAMPLE_CHARACTERS);
    if (isEastAsian(beginning)) return DEFAULT_LANGUAGE;
    const detected = eld.detect(beginning);
    const { [detected.language]: best = 0, [DEFAULT_LANGUAGE]: usual = 0 } = detected.getScores();
    if (usual >= MIN_DEFAULT_SCORE_RATIO * best || !Object.hasOwn(LANGUAGES, detected.language))
      return DEFAULT_LANGUAGE;
    return detected.language;
  };
}

function isEastAsian(text: string): boolean {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const kind = characterClass(text.charCodeAt(at));
    if (kind === HAN || kind === HANGUL) count += 1;
  }
  return count > MAX_EAST_ASIAN_SHARE * text.length;
}
