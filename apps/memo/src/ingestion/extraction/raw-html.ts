import type MarkdownIt from 'markdown-it';
import { closedIn, hidesRest, isWord, needsEnd } from './html-elements';

type Markdown = InstanceType<typeof MarkdownIt>;
type RenderRule = NonNullable<Markdown['renderer']['rules'][string]>;

/** A comment, or a tag up to a length that bounds the search for its end: attributes of elements that people write are shorter. */
const COMMENT_OR_TAG =
  /<!--[\s\S]*?(?:-->|$)|<(\/?)([a-z][^\s<>/"']*)((?:"[^"]{0,1000}"|'[^']{0,1000}'|[^"'<>]){0,2000})>/gi;
const TAG = /^<(\/?)([a-z][^\s<>/"']*)([\s\S]*)>$/i;
/** Instructions and sections of XML, which show nothing in HTML. */
const INSTRUCTION = /^<(?:\?|!\[CDATA\[|![a-z])/i;
const SCRIPT_BLOCK = /^\s*<(?:\?(?!xml\b)|!\[CDATA\[)/i;
const WORD_AT_END = /[\p{L}\p{N}_]$/u;
/** Names of types begin so; elements are written in one case. */
const TYPE_NAME = /^[A-Z](?:.*[a-z].*)?$/;
/** A line that begins with a tag. */
const TAG_AT_START = /<\/?([a-z][^\s<>/"']*)/iy;
const SVG_OR_MATH = /^(?:svg|math)$/;

/** What is known of the HTML in a part of a document while it is rendered. */
export interface RawHtml {
  /** Names with an end tag in the part. */
  closed: Set<string>;
  /** The drawing or formula that is open: its elements have names of their own. */
  vocabulary?: string | undefined;
}

/**
 * Keeps words in angle brackets as text: `List<String>` and `<filename>` are raw HTML of unknown elements (CommonMark 6.6), which a page
 * would not show. Known elements stay HTML if they are used as such.
 */
export function keepWordsInBrackets(markdown: Markdown): void {
  const { escapeHtml } = markdown.utils;
  const { rules } = markdown.renderer;
  const inline: RenderRule = (tokens, at, _options, env) => {
    const { content } = tokens[at]!;
    if (INSTRUCTION.test(content)) return escapeHtml(content);
    const before = tokens[at - 1];
    const isGlued = before?.type === 'text' && WORD_AT_END.test(before.content);
    return isTextInline(content, isGlued, htmlOf(env)) ? escapeHtml(content) : content;
  };
  const block: RenderRule = (tokens, at, _options, env) => {
    const { content } = tokens[at]!;
    if (SCRIPT_BLOCK.test(content)) return `<pre>${escapeHtml(content)}</pre>`;
    return content.replace(COMMENT_OR_TAG, (tag: string, ending: string, name?: string) =>
      name && isTextInBlock(ending, name.toLowerCase(), htmlOf(env)) ? escapeHtml(tag) : tag,
    );
  };
  rules.html_inline = inline;
  rules.html_block = block;
  keepParagraphs(markdown);
}

/** The HTML of a part, for the environment in which it is rendered. */
export const rawHtmlIn = (part: string): { html: RawHtml } => ({ html: { closed: closedIn(part) } });

const htmlOf = (env: unknown): RawHtml => (env as { html: RawHtml }).html;

/** A line that begins with a word in brackets begins a paragraph, not a block of HTML. */
function keepParagraphs(markdown: Markdown): void {
  const { ruler } = markdown.block;
  const paragraph = ruler.getRules('').at(-1)!;
  const words: typeof paragraph = (state, line, end, silent) => {
    TAG_AT_START.lastIndex = state.bMarks[line]! + state.tShift[line]!;
    const name = TAG_AT_START.exec(state.src)?.[1]?.toLowerCase();
    const isIndented = state.sCount[line]! - state.blkIndent >= 4;
    if (!name || isIndented || htmlOf(state.env).vocabulary || !isText(name, htmlOf(state.env))) return false;
    return silent || paragraph(state, line, end, silent);
  };
  ruler.before('html_block', 'words_in_brackets', words);
}

/** A name with a hyphen may be an element that the page defines, which has an end tag (HTML 4.13.3). */
const isText = (name: string, { closed }: RawHtml): boolean =>
  isWord(name) && !(name.includes('-') && closed.has(name));

function isTextInline(tag: string, isGlued: boolean, html: RawHtml): boolean {
  const [, ending, written = '', rest = ''] = TAG.exec(tag) ?? [];
  const name = written.toLowerCase();
  if (name === '' || isOfVocabulary(ending, name, html)) return false;
  if (isText(name, html)) return true;
  if (ending || rest.trim() !== '' || html.closed.has(name)) return false;
  return needsEnd(name) || (isGlued && TYPE_NAME.test(written));
}

function isTextInBlock(ending: string, name: string, html: RawHtml): boolean {
  if (isOfVocabulary(ending, name, html)) return false;
  return isText(name, html) || (!ending && hidesRest(name) && !html.closed.has(name));
}

/** Whether a tag belongs to a drawing or a formula. Notes where they begin and end. */
function isOfVocabulary(ending: string | undefined, name: string, html: RawHtml): boolean {
  if (html.vocabulary) {
    if (ending && name === html.vocabulary) html.vocabulary = undefined;
    return true;
  }
  if (!ending && SVG_OR_MATH.test(name) && html.closed.has(name)) html.vocabulary = name;
  return html.vocabulary !== undefined;
}
