import { createContext, use } from 'react';
import { type Language, LANGUAGES } from './language';

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
