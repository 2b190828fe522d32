import { type DetectLanguage, loadLanguageDetector } from './language-detection';
import { termsOf } from './terms';

/** The index terms of a passage, and the language of its stemmer. */
export interface PassageTerms {
  terms: string[];
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
    return { terms: [...termsOf(title, language), ...termsOf(text, language)], language };
  }
}
