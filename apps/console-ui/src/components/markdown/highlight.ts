import { common, createLowlight } from 'lowlight';
import { createElement, type ReactNode } from 'react';
import classes from './highlight.module.css';

const lowlight = createLowlight(common);

type Nodes = ReturnType<typeof lowlight.highlight>['children'];

/** Code with the colours of its language; as it is, if the language is not known. */
export function highlighted(code: string, language: string): ReactNode {
  return lowlight.registered(language) ? nodesOf(lowlight.highlight(language, code).children) : code;
}

const nodesOf = (nodes: Nodes): ReactNode[] =>
  nodes.map((node, key) => {
    if (node.type === 'text') return node.value;
    if (node.type !== 'element') return null;
    return createElement(
      'span',
      { key, className: classOf(node.properties.className) },
      nodesOf(node.children),
    );
  });

/** The kinds that the style sheet colours; highlight.js names them `hljs-keyword`, or `hljs-title function_`. */
const classOf = (names: unknown): string | undefined =>
  (Array.isArray(names) ? names.map(String) : [])
    .map((name) => classes[name.replace(/^hljs-/, '').replaceAll('-', '_')])
    .filter((name) => name !== undefined)
    .join(' ') || undefined;
