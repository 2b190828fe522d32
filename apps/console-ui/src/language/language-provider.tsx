import { useLocalStorage } from '@mantine/hooks';
import { type ReactNode, useEffect, useMemo } from 'react';
import { chooseLanguage, type Language, LANGUAGE_COOKIE } from './language';
import { LanguageContextProvider } from './language-context';

const SECONDS_PER_YEAR = 365 * 24 * 3_600;

export interface LanguageWish {
  /** Languages of the browser, the most wanted first. */
  wanted: readonly string[];
  /** The language of the site, for whoever wants none that the pages have. */
  otherwise?: Language | undefined;
}

/** Remembers the chosen language, also for the console, which renders pages; a first visit gets the browser's. */
export function LanguageProvider({ wanted, otherwise, children }: LanguageWish & { children: ReactNode }) {
  const [chosen, setLanguage] = useLocalStorage({
    key: 'language',
    defaultValue: '',
    getInitialValueInEffect: false,
  });
  const language = chooseLanguage([...(chosen ? [chosen] : []), ...wanted], otherwise);
  useEffect(() => {
    document.documentElement.lang = language;
    if (chosen)
      document.cookie = `${LANGUAGE_COOKIE}=${language}; Path=/; Max-Age=${SECONDS_PER_YEAR}; SameSite=Lax`;
  }, [chosen, language]);
  const choice = useMemo(() => ({ language, setLanguage }), [language, setLanguage]);
  return <LanguageContextProvider value={choice}>{children}</LanguageContextProvider>;
}
