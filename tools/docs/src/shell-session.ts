/** A fenced block of a Markdown document. */
interface CodeBlock {
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

/** What one document lets a shell do: its commands and what they are expected to print. */
export interface Step {
  commands: CodeBlock;
  /** Status that the block's calls answer with, when it is an error that the document announces. */
  expectedStatus: string | null;
  /** `…` stands for any text. */
  expectedOutput: string | null;
}

const NOT_RUN = 'not-run';
const OUTPUT = 'output';
const STATUS = /^status=(\d{3})$/;

/**
 * The `sh` blocks of a document as the steps of one shell session. Options behind the language:
 * `not-run` leaves a block out; `status=402` announces the error status of its calls.
 * A block ` ```text output ` right behind it holds what it prints.
 */
export function readSteps(blocks: CodeBlock[]): Step[] {
  return blocks.flatMap((block, index) => {
    if (block.language !== 'sh' || block.options.includes(NOT_RUN)) return [];
    const unknown = block.options.filter((option) => !STATUS.test(option));
    if (unknown.length > 0) throw new Error(`Line ${block.line}: ${unknown.join(' ')} is not known.`);
    const next = blocks[index + 1];
    return [
      {
        commands: block,
        expectedStatus: block.options.map((option) => STATUS.exec(option)?.[1]).at(0) ?? null,
        expectedOutput: next?.options.includes(OUTPUT) ? next.text : null,
      },
    ];
  });
}

/** Begins the output of each step. */
const STEP_MARK = '--- step at line ';

/** An error status fails a command, unless it is the one that the document announces. */
const PRELUDE = `set -euo pipefail
curl() {
  if [[ -z $EXPECTED_STATUS ]]; then command curl --silent --show-error --fail-with-body "$@"; return; fi
  local body status
  body=$(mktemp)
  status=$(command curl --silent --show-error --output "$body" --write-out '%{http_code}' "$@")
  cat "$body"
  if [[ $status != "$EXPECTED_STATUS" ]]; then echo "HTTP $status instead of $EXPECTED_STATUS" >&2; return 22; fi
}`;

/** The script of a whole document: one shell, so that variables live on from block to block. */
export function shellScript(steps: Step[]): string {
  const parts = steps.map(
    ({ commands, expectedStatus }) =>
      `printf '\\n%s\\n' '${STEP_MARK}${commands.line}'\nEXPECTED_STATUS=${expectedStatus ?? ''}\n${commands.text}`,
  );
  return [PRELUDE, ...parts].join('\n');
}

/** What each step has printed, by the line of its block. */
export function outputsByLine(output: string): Map<number, string> {
  const parts = output.split(`\n${STEP_MARK}`).slice(1);
  return new Map(
    parts.map((part) => {
      const [line = '', ...rest] = part.split('\n');
      return [Number(line), rest.join('\n')];
    }),
  );
}

/** Whether an output holds the expected text, in which `…` stands for anything. */
export function matchesOutput(expected: string, output: string): boolean {
  const pattern = expected
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join(String.raw`[\s\S]*?`);
  return new RegExp(pattern).test(output.replaceAll('\r\n', '\n'));
}
