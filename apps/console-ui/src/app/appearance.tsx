import { localStorageColorSchemeManager, MantineProvider, mergeThemeOverrides } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { type ReactNode, useEffect, useMemo } from 'react';
import { useComponentTexts } from '../components/component-texts';
import {
  chooseLanguage,
  type Language,
  LANGUAGE_COOKIE,
  LanguageContextProvider,
} from '../language/language';
import { theme } from './theme';

const SECONDS_PER_YEAR = 365 * 24 * 3_600;

interface LanguageWish {
  /** Languages of the browser, the most wanted first. */
  wanted: readonly string[];
  /** The language of the site, for whoever wants none that the pages have. */
  otherwise?: Language | undefined;
}

/** Remembers the chosen language, also for the console, which renders pages; a first visit gets the browser's. */
function LanguageProvider({ wanted, otherwise, children }: LanguageWish & { children: ReactNode }) {
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

/** The same key as in public/early.js. */
const colorSchemeManager = localStorageColorSchemeManager({ key: 'color-scheme' });

/** Language and theme. The variables of the theme are a style sheet (see built-styles.ts). */
export function Appearance({ children, ...languages }: LanguageWish & { children: ReactNode }) {
  return (
    <LanguageProvider {...languages}>
      <ThemeProvider>{children}</ThemeProvider>
    </LanguageProvider>
  );
}

function ThemeProvider({ children }: { children: ReactNode }) {
  const t = useComponentTexts();
  const translated = useMemo(() => {
    const closeButtonProps = { 'aria-label': t('dialog.close') };
    const visibilityToggleButtonProps = { 'aria-label': t('password.show') };
    return mergeThemeOverrides(theme, {
      components: {
        Modal: { defaultProps: { closeButtonProps } },
        Drawer: { defaultProps: { closeButtonProps } },
        PasswordInput: { defaultProps: { visibilityToggleButtonProps } },
      },
    });
  }, [t]);
  return (
    <MantineProvider
      theme={translated}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemeManager}
      withCssVariables={false}
      withGlobalClasses={false}
    >
      {children}
    </MantineProvider>
  );
}
