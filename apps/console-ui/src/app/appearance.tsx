import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { type ReactNode } from 'react';
import { LanguageProvider } from '../language/language-provider';
import { theme } from './theme/theme';

/** The same key as in public/color-scheme.js. */
const colorSchemeManager = localStorageColorSchemeManager({ key: 'color-scheme' });

/** Language and theme. The variables of the theme are a style sheet (see theme-variables.ts). */
export function Appearance({ children }: { children: ReactNode }) {
  return (
    <LanguageProvider>
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        colorSchemeManager={colorSchemeManager}
        withCssVariables={false}
        withGlobalClasses={false}
      >
        {children}
      </MantineProvider>
    </LanguageProvider>
  );
}
