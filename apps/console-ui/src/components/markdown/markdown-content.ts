import MarkdownIt, { type Env, type Token } from 'markdown-it';
import { createElement, Fragment, type ReactNode } from 'react';
import { FORMULA, withFormulas } from './math-syntax';

const parser = withFormulas(new MarkdownIt('default', { html: false, linkify: true }));

/** The elements that may be made; the text of any other one is shown without it. */
const ELEMENTS = new Set(
  'p em strong s ul ol li blockquote table thead tbody tr th td hr br pre code a h3 h4 h5 h6'.split(' '),
);

const VOID_ELEMENTS = new Set(['hr', 'br']);

/** Headings of a text stand below that of its entry, which has the level 2. */
const HEADINGS: Record<string, string> = { h1: 'h3', h2: 'h4', h3: 'h5', h4: 'h6', h5: 'h6', h6: 'h6' };

const IS_SAFE_ADDRESS = /^(https?:|mailto:)/i;

/** How the page shows what is more than an element. */
export interface Parts {
  code: (code: string, language: string) => ReactNode;
  formula: (tex: string, isBlock: boolean) => ReactNode;
}

/** A paragraph, a list, a table…: what stands on its own in the text. */
export interface Block {
  /** Two blocks of the same identity show the same. */
  identity: string;
  nodes: () => ReactNode[];
}

/** Parses Markdown to its blocks, with nothing but the elements above and safe links. */
export function markdownBlocks(text: string, parts: Parts): Block[] {
  const environment: Env = {};
  const tokens = parser.parse(text, environment);
  const lines = text.split('\n');
  // Definitions of links count wherever they stand.
  const references = JSON.stringify(environment.references ?? {});
  const blocks: Block[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const end = tokens[index]!.nesting === 1 ? closingOf(tokens, index) : index;
    const [first, last] = tokens[index]!.map ?? [0, lines.length];
    const own = tokens.slice(index, end + 1);
    const identity = lines.slice(first, last).join('\n') + references;
    blocks.push({ identity, nodes: () => nodesOf(own, parts) });
    index = end;
  }
  return blocks;
}

function nodesOf(tokens: Token[], parts: Parts): ReactNode[] {
  const nodes: ReactNode[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]!;
    if (token.nesting !== 1) {
      nodes.push(...leafOf(token, index, parts));
      continue;
    }
    const end = closingOf(tokens, index);
    const inner = nodesOf(tokens.slice(index + 1, end), parts);
    // The paragraphs of a tight list.
    nodes.push(...(token.hidden ? inner : [element(token, inner, index)]));
    index = end;
  }
  return nodes;
}

/** The index of the token that closes the one at `start`. */
function closingOf(tokens: Token[], start: number): number {
  let depth = 0;
  for (let index = start; index < tokens.length; index += 1) {
    depth += tokens[index]!.nesting;
    if (depth === 0) return index;
  }
  return tokens.length;
}

function leafOf(token: Token, key: number, parts: Parts): ReactNode[] {
  switch (token.type) {
    case 'inline':
      return nodesOf(token.children ?? [], parts);
    case 'softbreak':
      return [' '];
    case 'code_inline':
      return [createElement('code', { key }, token.content)];
    case 'fence':
    case 'code_block':
      return [
        createElement(Fragment, { key }, parts.code(token.content, token.info.trim().split(/\s/)[0] ?? '')),
      ];
    case FORMULA:
      return [createElement(Fragment, { key }, parts.formula(token.content, token.block))];
    // The policy of the pages allows no images of other hosts.
    case 'image':
      return [link(attribute(token, 'src'), [token.content || attribute(token, 'src')], key)];
    default:
      return VOID_ELEMENTS.has(token.tag) ? [createElement(token.tag, { key })] : [token.content];
  }
}

function element(token: Token, inner: ReactNode[], key: number): ReactNode {
  if (token.tag === 'a') return link(attribute(token, 'href'), inner, key);
  const tag = HEADINGS[token.tag] ?? token.tag;
  if (!ELEMENTS.has(tag)) return inner;
  const attributes = { key, ...startOf(token), ...alignmentOf(token) };
  return createElement(tag, attributes, ...(tag === 'li' ? withCheckBox(inner) : inner));
}

/** A list that begins with another number than 1. */
const startOf = (token: Token) => (token.attrGet('start') ? { start: Number(token.attrGet('start')) } : {});

/** How a column of a table is aligned: markdown-it gives it as a style, `text-align:right`. */
function alignmentOf(token: Token) {
  const [, textAlign] = /^text-align:(left|center|right)$/.exec(attribute(token, 'style')) ?? [];
  return textAlign ? { style: { textAlign: textAlign as 'left' | 'center' | 'right' } } : {};
}

/** An entry of a list of tasks, `[ ] open` or `[x] done`. */
function withCheckBox([first, ...rest]: ReactNode[]): ReactNode[] {
  if (typeof first !== 'string') return first === undefined ? rest : [first, ...rest];
  return [first.replace(/^\[ \] /, '☐ ').replace(/^\[x\] /i, '☑ '), ...rest];
}

const attribute = (token: Token, name: string): string => String(token.attrGet(name) ?? '');

const link = (href: string, inner: ReactNode[], key: number): ReactNode =>
  IS_SAFE_ADDRESS.test(href)
    ? createElement('a', { key, href, rel: 'noopener noreferrer' }, ...inner)
    : createElement('span', { key }, ...inner);
