/** A fenced block of a Markdown document. */
export interface CodeBlock {
  /** The first word behind the fence, such as `sh`. */
  language: string;
  /** The other words behind the fence. */
  options: string[];
  text: string;
  /** Line number of the opening fence, from 1. */
  line: number;
}

/** Blocks in lists are indented. */
const FENCE = /^ *```(\S*) *(.*)$/;

/** The fenced blocks of a document in their order; throws when the last one is not closed. */
export function readCodeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: (CodeBlock & { lines: string[] }) | null = null;
  for (const [index, line] of markdown.split('\n').entries()) {
    const [fence, language = '', options = ''] = FENCE.exec(line) ?? [];
    if (open && fence?.trim() === '```') {
      const { lines, ...block } = open;
      blocks.push({ ...block, text: lines.join('\n') });
      open = null;
    } else if (open) open.lines.push(line);
    else if (fence !== undefined)
      open = { language, options: options.split(/ +/).filter(Boolean), text: '', line: index + 1, lines: [] };
  }
  if (open) throw new Error(`The code block of line ${open.line} is not closed.`);
  return blocks;
}

/** The document without its fenced blocks. */
export function withoutCodeBlocks(markdown: string): string {
  return markdown.replace(/^ *```[\s\S]*?^ *```$/gm, '');
}
