import MarkdownIt from 'markdown-it';
import { isCollection, isMap, isScalar, type Pair, parseDocument } from 'yaml';
import { type ReadingOutput } from './format-reader';
import { decodeText, detectEncoding } from './text/character-encoding';
import { HtmlText } from './html';
import { keepWordsInBrackets, rawHtmlIn } from './raw-html';
import { type Omissions } from '../../tables/omission';

/** Parts end at the first good position after this length. At half link definitions are searched more often; at twice the parser needs more memory. */
const PART_CHARACTERS = 64 * 1024;
/** A part is cut here even without a good position: the parser's time and memory grow faster than its input. */
const MAX_PART_CHARACTERS = 512 * 1024;
/** Longer front matter is read as text. Parsing it takes time, and programs write a few kilobytes. */
const FRONT_MATTER = /^---[ \t]*\r?\n(?![ \t]*\r?\n)([\s\S]{0,65536}?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
/** Keys of metadata are names. A longer one is the beginning of a sentence with a colon. */
const MAX_KEY_WORDS = 3;
/** Other keys are items of a list, HTML, emphasis or other text. */
const KEY = /^(?!\d+[.)]\s)[\p{L}\p{N}_.$@~:/-][^<>[\]{}*`|#]*$/u;
/** The names that programs give to metadata (Jekyll, Hugo, Docusaurus, Pandoc, MultiMarkdown, Obsidian, Marp). */
const METADATA = new Set(
  (
    'abstract affiliation aliases alias archived author authors banner base bibliography blog callout categories category class comments copyright ' +
    'cover created css cssclass date dates description doctype documentclass draft edited email excerpt featured footer format header headline hero ' +
    'icon id image images index keywords lang language lastmod layout license linktitle locale markup marp menu meta modified name nav navbar order ' +
    'outline output outputs owner paginate parent pagetitle permalink position private publish published redirect resources revision scope search ' +
    'sidebar slug sort status style styles subject subtitle summary tag tags template theme thumbnail title toc translator type types uid updated url ' +
    'uuid version weight'
  ).split(' '),
);
/** A name of a program's own: `sidebar_position`, `editLink`. */
const PROGRAM_NAME = /^[a-z][\da-z]*(?:[_-]|(?=[A-Z]))[\w-]*$/;
const NAME = /^[a-z][\w-]*$/;
/** Values that are no words. */
const SETTING = /^(?:true|false|yes|no|on|off|null|~|[\d.:TZ+-]*)$/i;
const CAPITAL = /^\p{Lu}/u;
/** Front matter of the other usual kind. CommonMark has no meaning for its rules. */
const TOML_FRONT_MATTER = /^\ufeff?\+\+\+[ \t]*\r?\n([\s\S]{0,65536}?)\r?\n\+\+\+[ \t]*(?:\r?\n|$)/;
/** A key with a value, or the head of a table (TOML 1.0). The other lines belong to a value of several lines. */
const TOML_LINE =
  /^\s*(?:(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*[\w"'-]+)*\s*=\s*\S|\[{1,2}[^\]]+\]{1,2}\s*(?:#|$))/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** Definition of a link. A label that starts with `^` is a footnote. */
const DEFINITION = /^ {0,3}\[(?!\^)([^\]\n]{1,200})\]:[ \t]*(\S{1,2000})/gm;
const NOTE = /\[\^[^\]\n]{1,200}\]:/y;
/** Further definitions are ignored. Bounds the memory and the time of a lookup per part. */
const MAX_DEFINITIONS = 20_000;
/** A line that starts a new block if a blank line precedes it. */
const FRESH_LINE = /^[^\s>|*+\-\d]/;

/**
 * Converts Markdown to HTML part by part and extracts the text from that, so that raw HTML, hidden elements and
 * comments are treated as in HTML files.
 */
export function readMarkdown(bytes: Uint8Array, { writer, omissions, onProgress }: ReadingOutput): void {
  const page = new HtmlText(writer, omissions);
  const markdown = newParser();
  const references = {};
  let isStart = true;
  let rest = '';
  for (const { text, processed } of decodeText(bytes, detectEncoding(bytes, false))) {
    rest += text;
    if (isStart) rest = withoutFrontMatter(rest, omissions);
    isStart = false;
    const { parts, remainder } = splitParts(rest, processed === bytes.length);
    rest = remainder;
    for (const part of parts) {
      collectDefinitions(part, markdown, references);
      page.write(markdown.render(part, { references, ...rawHtmlIn(part) }));
    }
    onProgress(processed, bytes.length);
  }
  page.end();
}

/**
 * Front matter is a YAML mapping between two rules whose keys are names of metadata, or TOML between lines of `+++`. Anything else is text (CommonMark 4.1).
 */
function withoutFrontMatter(text: string, omissions: Omissions): string {
  const [yaml, toml] = [FRONT_MATTER.exec(text), TOML_FRONT_MATTER.exec(text)];
  const [whole = '', source = ''] = yaml ?? toml ?? [];
  if (yaml ? !isMapping(source) : !TOML_LINE.test(firstLineOf(source))) return text;
  omissions.add('front_matter', source.length);
  return text.slice(whole.length);
}

/** The first line that is neither empty nor a comment. */
const firstLineOf = (source: string): string =>
  source.split(/\r?\n/).find((line) => /^\s*[^\s#]/.test(line)) ?? '';

function isMapping(source: string): boolean {
  try {
    const { contents, errors } = parseDocument(source, { logLevel: 'silent', schema: 'failsafe' });
    if (errors.length > 0 || !isMap(contents) || contents.items.length === 0) return false;
    const keys = contents.items.map(({ key }) => String(key).trim());
    if (!keys.every((key) => KEY.test(key) && key.split(/\s+/).length <= MAX_KEY_WORDS)) return false;
    if (keys.length === 1) return isMetadata(keys[0]!, contents.items[0]!);
    return keys.some((key) => !CAPITAL.test(key) || METADATA.has(key.toLowerCase()));
  } catch {
    // Nested too deeply for the parser.
    return false;
  }
}

/** Whether one name with its value is metadata. `Note: the well is closed.` between two rules is text. */
function isMetadata(key: string, { value }: Pair): boolean {
  if (METADATA.has(key) || PROGRAM_NAME.test(key)) return true;
  return NAME.test(key) && (isCollection(value) || (isScalar(value) && SETTING.test(String(value.value))));
}

/**
 * Keeps footnotes as they are written. markdown-it would treat a footnote of one word as the definition of a link.
 */
function newParser(): InstanceType<typeof MarkdownIt> {
  const markdown = new MarkdownIt({ html: true, linkify: false });
  const { ruler } = markdown.block;
  const paragraph = ruler.getRules('').at(-1)!;
  const note: typeof paragraph = (state, line, end, silent) => {
    NOTE.lastIndex = state.bMarks[line]! + state.tShift[line]!;
    return NOTE.test(state.src) && (silent || paragraph(state, line, end, silent));
  };
  ruler.before('reference', 'note', note, { alt: ['paragraph'] });
  keepWordsInBrackets(markdown);
  return markdown;
}

/** Splits the text where no block is open: before a heading, or at a blank line outside fences and comments. */
function splitParts(text: string, last: boolean): { parts: string[]; remainder: string } {
  const parts: string[] = [];
  let start = 0;
  let fence = '';
  let blank = false;
  let lineStart = 0;
  while (lineStart < text.length) {
    const lineEnd = text.indexOf('\n', lineStart) + 1 || text.length;
    const line = text.slice(lineStart, Math.min(lineEnd, lineStart + 200));
    const length = lineStart - start;
    const isGoodPosition = fence === '' && blank && FRESH_LINE.test(line) && length > PART_CHARACTERS;
    if ((isGoodPosition && !commentOpen(text, start, lineStart)) || length > MAX_PART_CHARACTERS) {
      parts.push(text.slice(start, lineStart));
      start = lineStart;
    }
    fence = fenceAfter(line, fence);
    blank = line.trim() === '';
    if (lineEnd - start > 2 * MAX_PART_CHARACTERS) {
      // A very long line has no structure that a cut could break.
      for (; lineEnd - start > MAX_PART_CHARACTERS; start += MAX_PART_CHARACTERS) {
        parts.push(text.slice(start, start + MAX_PART_CHARACTERS));
      }
    }
    lineStart = lineEnd;
  }
  if (last && start < text.length) parts.push(text.slice(start));
  return { parts, remainder: last ? '' : text.slice(start) };
}

function fenceAfter(line: string, open: string): string {
  const mark = FENCE.exec(line)?.[1];
  if (!mark) return open;
  if (open === '') return mark;
  return mark[0] === open[0] && mark.length >= open.length ? '' : open;
}

function commentOpen(text: string, from: number, to: number): boolean {
  const part = text.slice(from, to);
  return part.lastIndexOf('<!--') > part.lastIndexOf('-->');
}

/** A link may be defined in another part than it is used in, so definitions are collected over all parts. */
function collectDefinitions(
  part: string,
  markdown: InstanceType<typeof MarkdownIt>,
  references: Record<string, object>,
): void {
  let count = Object.keys(references).length;
  for (const [, label, href] of part.matchAll(DEFINITION)) {
    if (++count > MAX_DEFINITIONS || !label || !href) return;
    references[markdown.utils.normalizeReference(label)] ??= { title: '', href };
  }
}
