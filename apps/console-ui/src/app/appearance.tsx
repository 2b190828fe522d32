import { localStorageColorSchemeManager, MantineProvider, mergeThemeOverrides } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { useComponentTexts } from '../components/component-texts';
import { LanguageProvider, type LanguageWish } from '../language/language-provider';
import { theme } from './theme';

/** The same key as in public/early.js. */
const colorSchemeManager = localStorageColorSchemeManager({ key: 'color-scheme' });

/** Language and theme. The variables of the theme are a style sheet (see theme-variables.ts). */
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
