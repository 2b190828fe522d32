import { type DetectLanguage, loadLanguageDetector } from './language';
import { termsOf } from './terms';

/** What a part of a document is found by, and by which language's rules. */
export interface PassageTerms {
  terms: string[];
  language: string;
}

/** The title stands in front of each part, so that a part is found by it too. */
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
