import postcss from 'postcss';
import { type Plugin } from 'vite';

/** A class of a part of one of Mantine's components, which a rule is for. */
const COMPONENT_CLASS = /m_[0-9a-f]+/g;

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
