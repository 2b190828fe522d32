import MarkdownIt, { type Token } from 'markdown-it';
import { createElement, type ReactNode } from 'react';

const parser = new MarkdownIt('default', { html: false, linkify: true });

/** The elements that may be made; the text of any other one is shown without it. */
const ELEMENTS = new Set(
  'p em strong s ul ol li blockquote table thead tbody tr th td hr br pre code a h3 h4 h5 h6'.split(' '),
);

const VOID_ELEMENTS = new Set(['hr', 'br']);

/** Headings of a text stand below that of its entry, which has the level 2. */
const HEADINGS: Record<string, string> = { h1: 'h3', h2: 'h4', h3: 'h5', h4: 'h6', h5: 'h6', h6: 'h6' };

const IS_SAFE_ADDRESS = /^(https?:|mailto:)/i;

/** Parses Markdown to nodes of React, with nothing but the elements above and safe links. */
export const markdownContent = (text: string): ReactNode[] => nodesOf(parser.parse(text, {}));

function nodesOf(tokens: Token[]): ReactNode[] {
  const nodes: ReactNode[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]!;
    if (token.nesting !== 1) {
      nodes.push(...leafOf(token, index));
      continue;
    }
    const end = closingOf(tokens, index);
    const inner = nodesOf(tokens.slice(index + 1, end));
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

function leafOf(token: Token, key: number): ReactNode[] {
  switch (token.type) {
    case 'inline':
      return nodesOf(token.children ?? []);
    case 'softbreak':
      return [' '];
    case 'code_inline':
      return [createElement('code', { key }, token.content)];
    case 'fence':
    case 'code_block':
      return [createElement('pre', { key, tabIndex: 0 }, createElement('code', null, token.content))];
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
  return ELEMENTS.has(tag) ? createElement(tag, { key }, ...inner) : inner;
}

const attribute = (token: Token, name: string): string => String(token.attrGet(name) ?? '');

const link = (href: string, inner: ReactNode[], key: number): ReactNode =>
  IS_SAFE_ADDRESS.test(href)
    ? createElement('a', { key, href, rel: 'noopener noreferrer' }, ...inner)
    : createElement('span', { key }, ...inner);
