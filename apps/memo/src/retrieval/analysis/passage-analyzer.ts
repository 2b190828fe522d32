import { type DetectLanguage, loadLanguageDetector } from './language-detection';
import { type IndexTerms, indexTermsOf, titleTerm } from './terms';

/** The index terms of a passage, and the language of its stemmer. */
export interface PassageTerms extends IndexTerms {
  language: string;
  /** Runs of Chinese and Japanese characters: their tokens (tokensOfRun) belong to the terms, too. */
  runs?: readonly string[];
}

/** Determines the index terms of a passage. The title of the document is indexed with each of its passages, and counts twice. */
export class PassageAnalyzer {
  private constructor(private readonly languageOf: DetectLanguage) {}

  static async load(): Promise<PassageAnalyzer> {
    return new PassageAnalyzer(await loadLanguageDetector());
  }

  analyze(title: string, text: string): PassageTerms {
    const language = this.languageOf(text);
    const runs: string[] = [];
    const [ofTitle, ofText] = [indexTermsOf(title, language), indexTermsOf(text, language, runs)];
    const inTitle = new Set([...ofTitle.terms, ...ofTitle.further]);
    return {
      terms: [...ofTitle.terms, ...ofText.terms],
      further: [...ofTitle.terms, ...ofTitle.further, ...ofText.further, ...Array.from(inTitle, titleTerm)],
      words: [...ofTitle.words, ...ofText.words],
      language,
      runs,
    };
  }
}
