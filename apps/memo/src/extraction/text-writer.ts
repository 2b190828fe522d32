import { clean } from './cleaning';
import { type TextSink } from './text-sink';

const PIECE_CHARACTERS = 256 * 1024;
const MAX_HELD_SPACES = 200;
const SPACES = /[\s\u00a0]+/g;
const WIDE = /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60\u{20000}-\u{3ffff}]/u;
const WIDE_AT_END = new RegExp(`${WIDE.source}$`, 'u');
const WIDE_AT_START = new RegExp(`^${WIDE.source}`, 'u');

/**
 * Puts text together: spaces collapsed, one newline between lines, one blank line between blocks. It hands the
 * text on in pieces, so that neither side holds it twice.
 */
export class TextWriter {
  private length = 0;
  private piece: string[] = [];
  private pieceLength = 0;
  private newlines = 0;
  /** White space seen but not yet written: a newline is a space, or nothing between Chinese characters. */
  private space = '';
  private last = '';
  private mark = '';

  constructor(private readonly sink: TextSink) {}

  /** Running text: any white space counts as one space. */
  flow(raw: string): void {
    const text = clean(raw).replace(SPACES, (spaces) => (spaces.includes('\n') ? '\n' : ' '));
    let start = 0;
    let end = text.length;
    if (isSpace(text[0])) this.hold(text[start++]);
    if (end > start && isSpace(text[end - 1])) end--;
    if (end > start) {
      this.put(
        text
          .slice(start, end)
          .replace(/\n/g, (_, at: number, all: string) => joint(all[at - 1], all[at + 1])),
      );
      if (end < text.length) this.hold(text[end]);
    }
  }

  /** Text whose spaces and newlines carry meaning: code. */
  verbatim(raw: string): void {
    for (const [index, line] of clean(raw).split('\n').entries()) {
      if (index > 0) {
        this.newlines = Math.min(2, this.newlines + 1);
        this.space = '';
      }
      const kept = line.trimEnd();
      if (kept !== '') this.put(kept);
      this.space += line.slice(kept.length, kept.length + MAX_HELD_SPACES);
    }
  }

  line(): void {
    this.break(1);
  }

  block(): void {
    this.break(2);
  }

  /** Makes a line of what was to be a block. */
  tighten(): void {
    this.newlines = Math.min(1, this.newlines);
  }

  /** The mark of a list item: written only if text follows on this line. */
  prefix(mark: string): void {
    this.mark = mark;
  }

  /** Between the cells of a row; empty cells keep their place, those at the end of the row are left away. */
  separator(mark: string): void {
    this.mark += ` ${mark}`;
    this.space = '';
  }

  /** Hands on what is written. */
  flush(): void {
    this.sink.put(this.piece.join(''));
    this.piece = [];
    this.pieceLength = 0;
  }

  /** For so many characters that are still to be written: `too_long` if they do not fit. */
  expect(characters: number): void {
    this.sink.expect(this.length + characters);
  }

  private break(newlines: number): void {
    this.newlines = Math.max(this.newlines, newlines);
    this.space = '';
    if (isSeparator(this.mark)) this.mark = '';
  }

  private hold(space: string | undefined): void {
    if (this.newlines === 0 && this.space !== ' ') this.space = space === '\n' ? '\n' : ' ';
  }

  private put(text: string): void {
    const written = this.between(text) + text;
    this.length += written.length;
    this.piece.push(written);
    this.pieceLength += written.length;
    this.last = text.slice(-2);
    if (this.pieceLength >= PIECE_CHARACTERS) this.flush();
  }

  private between(text: string): string {
    const { newlines, mark, space } = this;
    this.newlines = 0;
    this.mark = '';
    this.space = '';
    if (newlines > 0 || this.length === 0) {
      const start = (isSeparator(mark) ? `${mark.slice(1)} ` : mark) + space;
      return this.length === 0 ? start : '\n'.repeat(newlines) + start;
    }
    if (mark !== '') return `${mark} `;
    return space === '\n' ? joint(this.last, text) : space;
  }
}

function isSeparator(mark: string): boolean {
  return mark.startsWith(' |');
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\n';
}

/** Chinese and Japanese lines are joined without a space. */
function joint(before: string | undefined, after: string | undefined): string {
  return before && after && WIDE_AT_END.test(before) && WIDE_AT_START.test(after) ? '' : ' ';
}
