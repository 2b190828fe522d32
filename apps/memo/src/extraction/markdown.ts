import MarkdownIt from 'markdown-it';
import { type OnProgress } from './extraction';
import { decode, encodingOf } from './decoding';
import { HtmlText } from './html';
import { type TextWriter } from './text-writer';

const PART_CHARACTERS = 64 * 1024;
/** Where no good place to cut comes, cut anyway: the parser's time and memory grow faster than its input. */
const MAX_PART_CHARACTERS = 512 * 1024;
const FRONT_MATTER = /^---[ \t]*\r?\n[\s\S]{0,65536}?\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** Of links: a label that begins with `^` is that of a note. */
const DEFINITION = /^ {0,3}\[(?!\^)([^\]\n]{1,200})\]:[ \t]*(\S{1,2000})/gm;
const NOTE = /\[\^[^\]\n]{1,200}\]:/y;
const MAX_DEFINITIONS = 20_000;
/** A line that begins a new block for certain, after a blank line. */
const FRESH_LINE = /^[^\s>|*+\-\d]/;

/**
 * Markdown becomes HTML, part by part, and goes through the reader of HTML: raw HTML, hidden elements and
 * comments are then treated alike in both formats.
 */
export function readMarkdown(bytes: Uint8Array, writer: TextWriter, onProgress: OnProgress): void {
  const page = new HtmlText(writer);
  const markdown = newParser();
  const references = {};
  let isStart = true;
  let rest = '';
  for (const { text, processed } of decode(bytes, encodingOf(bytes, false))) {
    rest += text;
    if (isStart) rest = rest.replace(FRONT_MATTER, '');
    isStart = false;
    const { parts, remainder } = cut(rest, processed === bytes.length);
    rest = remainder;
    for (const part of parts) {
      collectDefinitions(part, markdown, references);
      page.write(markdown.render(part, { references }));
    }
    onProgress(processed, bytes.length);
  }
  page.end();
}

/** Leaves notes as they are written: markdown-it itself takes those of one word for definitions of links. */
function newParser(): InstanceType<typeof MarkdownIt> {
  const markdown = new MarkdownIt({ html: true, linkify: false });
  const { ruler } = markdown.block;
  const paragraph = ruler.getRules('').at(-1)!;
  const note: typeof paragraph = (state, line, end, silent) => {
    NOTE.lastIndex = state.bMarks[line]! + state.tShift[line]!;
    return NOTE.test(state.src) && (silent || paragraph(state, line, end, silent));
  };
  ruler.before('reference', 'note', note, { alt: ['paragraph'] });
  return markdown;
}

/** Parts that end where no block is open: before a heading, or at a blank line outside fences and comments. */
function cut(text: string, last: boolean): { parts: string[]; remainder: string } {
  const parts: string[] = [];
  let start = 0;
  let fence = '';
  let blank = false;
  let lineStart = 0;
  while (lineStart < text.length) {
    const lineEnd = text.indexOf('\n', lineStart) + 1 || text.length;
    const line = text.slice(lineStart, Math.min(lineEnd, lineStart + 200));
    const length = lineStart - start;
    const good = fence === '' && blank && FRESH_LINE.test(line) && length > PART_CHARACTERS;
    if ((good && !commentOpen(text, start, lineStart)) || length > MAX_PART_CHARACTERS) {
      parts.push(text.slice(start, lineStart));
      start = lineStart;
    }
    fence = fenceAfter(line, fence);
    blank = line.trim() === '';
    if (lineEnd - start > 2 * MAX_PART_CHARACTERS) {
      // One endless line: it has no structure to lose.
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

/** Links may be defined in another part than they are used in, so that definitions gather over the parts. */
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
