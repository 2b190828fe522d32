import {
  convertCssVariables,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  mergeMantineTheme,
} from '@mantine/core';
import { type Plugin } from 'vite';
import { theme } from './src/app/theme/theme';
import { themeColors } from './src/app/theme/theme-colors';

const NAME = 'virtual:theme-variables.css';

/**
 * The CSS variables of the theme as a style sheet. Mantine would write them into a `<style>` element, which the policy of
 * the pages (`style-src 'self'`) forbids.
 */
export function themeVariables(): Plugin {
  return {
    name: 'theme-variables',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load: (id) => (id === `\0${NAME}` ? styleSheet() : undefined),
  };
}

function styleSheet(): string {
  const merged = mergeMantineTheme(DEFAULT_THEME, theme);
  const defaults = defaultCssVariablesResolver(merged);
  const own = themeColors(merged);
  return convertCssVariables({
    variables: { ...defaults.variables, ...own.variables },
    light: { ...defaults.light, ...own.light },
    dark: { ...defaults.dark, ...own.dark },
  });
}
