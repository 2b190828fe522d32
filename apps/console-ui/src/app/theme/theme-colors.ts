import { type CSSVariablesResolver, darken, type MantineTheme } from '@mantine/core';

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
export const themeColors: CSSVariablesResolver = (theme) => ({
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
    '--mantine-color-anchor': theme.colors.ink![3],
    '--console-surface': theme.colors.dark[7],
    '--console-canvas': theme.colors.dark[8],
    '--console-border': theme.colors.dark[4],
  },
});
