import { type CSSVariablesResolver } from '@mantine/core';

/** Mantine's own greys and reds for texts have less contrast than WCAG AA asks for. */
export const themeColors: CSSVariablesResolver = (theme) => ({
  variables: {},
  light: {
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
