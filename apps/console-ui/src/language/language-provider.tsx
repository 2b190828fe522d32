import { useLocalStorage } from '@mantine/hooks';
import { type ReactNode, useEffect, useMemo } from 'react';
import { chooseLanguage } from './language';
import { LanguageContextProvider } from './language-context';

/** Remembers the chosen language; a first visit gets the browser's. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [chosen, setLanguage] = useLocalStorage({
    key: 'language',
    defaultValue: '',
    getInitialValueInEffect: false,
  });
  const language = chooseLanguage([...(chosen ? [chosen] : []), ...navigator.languages]);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choice = useMemo(() => ({ language, setLanguage }), [language, setLanguage]);
  return <LanguageContextProvider value={choice}>{children}</LanguageContextProvider>;
}
