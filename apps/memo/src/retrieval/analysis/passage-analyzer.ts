import { characterClass, HAN, HANGUL } from './character-class';
import { DEFAULT_LANGUAGE, LANGUAGES } from './languages';
import { type IndexTerms, indexTermsOf, titleTerm } from './terms';

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
type DetectLanguage = (text: string) => string;

/** Loading takes 250 ms and 90 MB, so only processes that index documents do it. */
async function loadLanguageDetector(): Promise<DetectLanguage> {
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

/** The index terms of a passage, and the language of its stemmer. */
export interface PassageTerms extends IndexTerms {
  language: string;
}

/** Determines the index terms of a passage. The title of the document is indexed with each of its passages. */
export class PassageAnalyzer {
  private constructor(private readonly languageOf: DetectLanguage) {}

  static async load(): Promise<PassageAnalyzer> {
    return new PassageAnalyzer(await loadLanguageDetector());
  }

  analyze(title: string, text: string): PassageTerms {
    const language = this.languageOf(text);
    const [ofTitle, ofText] = [indexTermsOf(title, language), indexTermsOf(text, language)];
    const inTitle = new Set([...ofTitle.terms, ...ofTitle.further]);
    return {
      terms: [...ofTitle.terms, ...ofText.terms],
      further: [...ofTitle.further, ...ofText.further, ...Array.from(inTitle, titleTerm)],
      words: [...ofTitle.words, ...ofText.words],
      language,
    };
  }
}
