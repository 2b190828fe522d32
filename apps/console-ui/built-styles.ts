import {
  convertCssVariables,
  type CSSVariablesResolver,
  darken,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  type MantineTheme,
  mergeMantineTheme,
} from '@mantine/core';
import { type Plugin } from 'vite';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import postcss from 'postcss';
import { theme } from './src/app/theme';

const LIGHT_VARIANT_DARKENING = 0.25;

/** Texts of the variant `light`, such as badges and alerts, on a light page. */
const lightVariantTexts = ({ colors }: MantineTheme) =>
  Object.fromEntries(
    Object.entries(colors).map(([name, shades]) => [
      `--mantine-color-${name}-light-color`,
      darken(shades[9], LIGHT_VARIANT_DARKENING),
    ]),
  );

/** Mantine's own greys and reds for texts, and the colors of badges and alerts, have less contrast than WCAG AA asks for. */
const themeColors: CSSVariablesResolver = (theme) => ({
  variables: {},
  light: {
    ...lightVariantTexts(theme),
    '--mantine-color-dimmed': theme.colors.gray[7],
    '--mantine-color-placeholder': theme.colors.gray[6],
    '--mantine-color-error': theme.colors.red[9],
    '--mantine-color-anchor': theme.colors.ink![8],
    '--console-surface': '#ffffff',
    '--console-canvas': theme.colors.gray[0],
    '--console-border': theme.colors.gray[3],
  },
  dark: {
    '--mantine-color-dimmed': theme.colors.dark[1],
    '--mantine-color-placeholder': theme.colors.dark[2],
    '--mantine-color-error': theme.colors.red[4],
    // Mantine's is nearly white: what deletes would look like any other button.
    '--mantine-color-red-light-color': theme.colors.red[3],
    '--mantine-color-anchor': theme.colors.ink![3],
    '--console-surface': theme.colors.dark[7],
    '--console-canvas': theme.colors.dark[8],
    '--console-border': theme.colors.dark[4],
  },
});

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

/** A class of a part of one of Mantine's components, which a rule is for. */
const COMPONENT_CLASS = /m_[0-9a-f]+/g;
const HASH_CHARS = 8;

/** Drops the rules of components that no script names. The components of Mantine come with one style sheet for all of them. */
export function usedStyles(): Plugin {
  return {
    name: 'used-styles',
    apply: 'build',
    generateBundle: (_options, bundle) => {
      const files = Object.values(bundle);
      const used = new Set(
        files.flatMap((file) => (file.type === 'chunk' ? (file.code.match(COMPONENT_CLASS) ?? []) : [])),
      );
      const isUnused = (selector: string) =>
        (selector.match(COMPONENT_CLASS) ?? []).some((name) => !used.has(name));
      for (const file of files) {
        if (file.type === 'asset' && file.fileName.endsWith('.css'))
          file.source = withoutSelectors(file.source.toString(), isUnused);
      }
    },
  };
}

function withoutSelectors(css: string, isUnwanted: (selector: string) => boolean): string {
  const root = postcss.parse(css);
  root.walkRules((rule) => {
    const selectors = rule.selectors.filter((selector) => !isUnwanted(selector));
    if (selectors.length === 0) rule.remove();
    else if (selectors.length < rule.selectors.length) rule.selectors = selectors;
  });
  return root.toString();
}

/** Changes with everything that decides which components are used: the sources of the pages and the versions of packages. */
export function sourcesHash(): string {
  const sources = join(import.meta.dirname, 'src');
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .sort()
    .map((name) => join(sources, name));
  const hash = createHash('sha256');
  for (const file of [...files, join(import.meta.dirname, '../../package-lock.json')])
    hash.update(readFileSync(file));
  return hash.digest('base64url').slice(0, HASH_CHARS);
}
