import { createContext, use } from 'react';

/** The languages of the pages, as BCP 47 tags. */
export const LANGUAGES = ['en', 'zh-CN'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Tells the console the language that was chosen in this browser. */
export const LANGUAGE_COOKIE = 'language';

export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', 'zh-CN': '简体中文' };

/** The first of the wanted languages that the pages have, by its main part: `zh-TW` gets Chinese. */
export function chooseLanguage(wanted: readonly string[], otherwise: Language = LANGUAGES[0]): Language {
  const main = (tag: string) => tag.split('-')[0]!.toLowerCase();
  for (const tag of wanted) {
    const found = LANGUAGES.find((language) => main(language) === main(tag));
    if (found) return found;
  }
  return otherwise;
}

interface LanguageChoice {
  language: Language;
  setLanguage: (language: Language) => void;
}

const LanguageContext = createContext<LanguageChoice>({
  language: LANGUAGES[0],
  setLanguage: () => undefined,
});

export const LanguageContextProvider = LanguageContext.Provider;
export const useLanguage = (): LanguageChoice => use(LanguageContext);
