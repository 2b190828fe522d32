import { type MarkdownIt, type StateBlock, type StateInline } from 'markdown-it';

/** A formula in TeX; `tag` of its token is `math`, `block` says whether it stands on lines of its own. */
export const FORMULA = 'formula';

const BLOCK_FENCES = [
  { open: '$$', close: '$$' },
  { open: String.raw`\[`, close: String.raw`\]` },
];

/** Chosen: far longer than formulas are. Without a bound, a text of many beginnings without an end would be searched to its end for each. */
const MOST_CHARACTERS = 4_000;
const MOST_LINES = 200;

const DOLLAR = '$';

/** Reads formulas as models write them: `$a$`, `\(a\)`, and `$$a$$` and `\[a\]` on lines of their own or within a line. */
export function withFormulas(parser: MarkdownIt): MarkdownIt {
  // Before escapes, which would take the backslash of `\(`.
  parser.inline.ruler.before('escape', FORMULA, readInlineFormula);
  parser.block.ruler.before('fence', FORMULA, readBlockFormula, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
  return parser;
}

function readInlineFormula(state: StateInline, silent: boolean): boolean {
  const found = formulaAt(state.src, state.pos);
  if (!found) return false;
  if (!silent) {
    const token = state.push(FORMULA, 'math', 0);
    token.content = found.tex;
    token.block = found.isBlock;
  }
  state.pos = found.end;
  return true;
}

function formulaAt(text: string, start: number): { tex: string; isBlock: boolean; end: number } | null {
  for (const { open, close } of [...BLOCK_FENCES, { open: String.raw`\(`, close: String.raw`\)` }]) {
    if (!text.startsWith(open, start)) continue;
    const rest = text.slice(start + open.length, start + MOST_CHARACTERS);
    const length = rest.indexOf(close);
    const tex = length === -1 ? '' : rest.slice(0, length).trim();
    if (!tex) return null;
    return { tex, isBlock: open !== String.raw`\(`, end: start + open.length + length + close.length };
  }
  return text[start] === DOLLAR ? dollarFormulaAt(text, start) : null;
}

/** Amounts of money are no formulas: the dollars stand directly at the formula, and no digit follows the second ("$5 and $10"). */
function dollarFormulaAt(text: string, start: number) {
  if (!/\S/.test(text[start + 1] ?? ' ')) return null;
  const rest = text.slice(start + 1, start + MOST_CHARACTERS);
  // Pairs of a backslash and what it escapes are passed over.
  const tex = /^(?:[^$\\]|\\[^])*(?=\$)/.exec(rest)?.[0];
  if (tex === undefined) return null;
  const end = start + 1 + tex.length;
  const closes = /\S$/.test(tex) && !/\d/.test(text[end + 1] ?? '');
  return closes ? { tex, isBlock: false, end: end + 1 } : null;
}

function readBlockFormula(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const lineOf = (line: number) =>
    state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]!).trim();
  const first = lineOf(startLine);
  const fence = BLOCK_FENCES.find(({ open }) => first.startsWith(open));
  if (!fence) return false;
  const lines: string[] = [];
  for (let line = startLine; line < Math.min(endLine, startLine + MOST_LINES); line += 1) {
    const text = line === startLine ? first.slice(fence.open.length) : lineOf(line);
    const end = text.indexOf(fence.close);
    // Text behind the formula makes it a part of a paragraph.
    if (end !== -1 && text.slice(end + fence.close.length).trim()) return false;
    lines.push(end === -1 ? text : text.slice(0, end));
    if (end === -1) continue;
    const tex = lines.join('\n').trim();
    if (!tex) return false;
    if (!silent) {
      const token = state.push(FORMULA, 'math', 0);
      token.content = tex;
      token.block = true;
      token.map = [startLine, line + 1];
      state.line = line + 1;
    }
    return true;
  }
  return false;
}
