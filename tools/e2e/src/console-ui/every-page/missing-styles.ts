import { readFileSync } from 'node:fs';
import { type Page } from 'playwright-core';

/** A class of Mantine's style sheets, which name each part of a component by a hash. */
const COMPONENT_CLASS = /\.(m_[0-9a-f]+)/g;

const styledClasses = new Set(
  [...readFileSync(require.resolve('@mantine/core/styles.css'), 'utf8').matchAll(COMPONENT_CLASS)].map(
    ([, name]) => name!,
  ),
);

/** Components in a page without their styles. The build drops the styles of components that no page uses. */
export async function componentsWithoutStyles(tab: Page): Promise<string[]> {
  const [shown, loaded] = await tab.evaluate<[[name: string, html: string][], string]>(SHOWN_AND_LOADED);
  const loadedClasses = new Set([...loaded.matchAll(COMPONENT_CLASS)].map(([, name]) => name!));
  return shown
    .filter(([name]) => styledClasses.has(name) && !loadedClasses.has(name))
    .map(([, html]) => `without its styles: ${html}`);
}

const SHOWN_AND_LOADED = `[
  [...new Map([...document.querySelectorAll('[class*=m_]')].flatMap((element) =>
    [...element.classList].filter((name) => name.startsWith('m_')).map((name) => [name, element.outerHTML.slice(0, 120)])))],
  [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]).map(({ cssText }) => cssText).join('\\n'),
]`;
