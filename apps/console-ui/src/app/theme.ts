import { createTheme, type MantineColorsTuple } from '@mantine/core';

const ink: MantineColorsTuple = [
  '#eef3ff',
  '#dce4f5',
  '#b9c7e2',
  '#94a8d0',
  '#748dc1',
  '#5f7cb8',
  '#5474b4',
  '#44639f',
  '#39588f',
  '#2d4b81',
];

/** Inter comes with the pages. Chinese is shown in the font of the system, which every system has: a web font has megabytes. */
const CHINESE_FONTS = "'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', 'Noto Sans SC'";

/** The `<header>` of a dialog is not the banner of the page. */
const PLAIN_HEADER = { header: { role: 'none' } };

export const theme = createTheme({
  colors: { ink },
  primaryColor: 'ink',
  primaryShade: { light: 7, dark: 6 },
  fontFamily: `'Inter Variable', system-ui, ${CHINESE_FONTS}, sans-serif`,
  fontFamilyMonospace: `ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', ${CHINESE_FONTS}, monospace`,
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.3' },
      h2: { fontSize: '1.125rem', lineHeight: '1.4' },
      h3: { fontSize: '1rem', lineHeight: '1.4' },
    },
  },
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Locking would write a `<style>` element, which the policy of the pages forbids; shell.css locks instead.
    // By name: the components themselves are loaded with the pages that use them.
    Modal: {
      defaultProps: { lockScroll: false, centered: true, attributes: PLAIN_HEADER },
      styles: { title: { fontWeight: 600 } },
    },
    // A narrow table would cut its text.
    Badge: { styles: { root: { minWidth: 'max-content' } } },
    Drawer: { defaultProps: { lockScroll: false, attributes: PLAIN_HEADER } },
  },
});
