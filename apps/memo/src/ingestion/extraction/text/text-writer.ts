import { normalizeText } from './characters';
import { TextSink } from './text-sink';

/** Length at which a piece is passed on. Twice doubles the memory of unwritten text; half doubles the number of pieces. */
const PIECE_CHARACTERS = 256 * 1024;
/** Longer indents of code are cut. */
const MAX_HELD_SPACES = 200;
const SPACES = /[\s\u00a0]+/g;
const WIDE = /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60\u{20000}-\u{3ffff}]/u;
const WIDE_AT_END = new RegExp(`${WIDE.source}$`, 'u');
const WIDE_AT_START = new RegExp(`^${WIDE.source}`, 'u');

/**
 * Assembles formatted text: spaces collapsed, one newline between lines, one blank line between blocks. Passes it on
 * in pieces, so that it is not in memory twice.
 */
export class TextWriter {
  /** UTF-16 code units that are written, without the break that may follow. */
  length = 0;
  private piece: string[] = [];
  private pieceLength = 0;
  private newlines = 0;
  /** White space that is not written yet. A newline becomes a space, or nothing between Chinese characters. */
  private space = '';
  private last = '';
  private mark = '';

  constructor(private readonly sink: TextSink) {}

  /** Writes running text: any white space is one space. */
  flow(raw: string): void {
    const text = normalizeText(raw).replace(SPACES, (spaces) => (spaces.includes('\n') ? '\n' : ' '));
    let start = 0;
    let end = text.length;
    if (isSpace(text[0])) this.rememberSpace(text[start++]);
    if (end > start && isSpace(text[end - 1])) end--;
    if (end > start) {
      this.put(
        text
          .slice(start, end)
          .replace(/\n/g, (_, at: number, all: string) => joinWith(all[at - 1], all[at + 1])),
      );
      if (end < text.length) this.rememberSpace(text[end]);
    }
  }

  /** Writes text in which spaces and newlines are significant, such as code. */
  verbatim(raw: string): void {
    for (const [index, line] of normalizeText(raw).split('\n').entries()) {
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

  /** Turns the pending block break into a line break. */
  tighten(): void {
    this.newlines = Math.min(1, this.newlines);
  }

  /** Sets the marker of a list item. It is written only if text follows on this line. */
  prefix(mark: string): void {
    this.mark = mark;
  }

  /** Separates the cells of a row. Empty cells are kept; empty cells at the end of a row are omitted. */
  separator(mark: string): void {
    this.mark += ` ${mark}`;
    this.space = '';
  }

  /** Passes the written text on. */
  flush(): void {
    this.sink.put(this.piece.join(''));
    this.piece = [];
    this.pieceLength = 0;
  }

  /** Throws `too_long` if so many more characters do not fit. */
  requireRoomFor(characters: number): void {
    this.sink.requireRoomFor(this.length + characters);
  }

  private break(newlines: number): void {
    this.newlines = Math.max(this.newlines, newlines);
    this.space = '';
    if (isSeparator(this.mark)) this.mark = '';
  }

  private rememberSpace(space: string | undefined): void {
    if (this.newlines === 0 && this.space !== ' ') this.space = space === '\n' ? '\n' : ' ';
  }

  private put(text: string): void {
    const written = this.gapBefore(text) + text;
    this.length += written.length;
    this.piece.push(written);
    this.pieceLength += written.length;
    this.last = text.slice(-2);
    if (this.pieceLength >= PIECE_CHARACTERS) this.flush();
  }

  private gapBefore(text: string): string {
    const { newlines, mark, space } = this;
    this.newlines = 0;
    this.mark = '';
    this.space = '';
    if (newlines > 0 || this.length === 0) {
      const start = (isSeparator(mark) ? `${mark.slice(1)} ` : mark) + space;
      return this.length === 0 ? start : '\n'.repeat(newlines) + start;
    }
    if (mark !== '') return `${mark} `;
    return space === '\n' ? joinWith(this.last, text) : space;
  }
}

function isSeparator(mark: string): boolean {
  return mark.startsWith(' |');
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\n';
}

/** Chinese and Japanese lines are joined without a space. */
function joinWith(before: string | undefined, after: string | undefined): string {
  return before && after && WIDE_AT_END.test(before) && WIDE_AT_START.test(after) ? '' : ' ';
}

/** A text that is written to another place than the document, and inserted later. */
export class CapturedText {
  readonly writer: TextWriter;
  private readonly pieces: string[] = [];
  private length = 0;

  /** Throws `too_long` as soon as the text does not fit behind what the document holds. */
  constructor(document: TextWriter) {
    const sink = new TextSink(Infinity, (piece) => {
      this.length += piece.length;
      document.requireRoomFor(this.length);
      this.pieces.push(piece);
    });
    this.writer = new TextWriter(sink);
  }

  take(): string {
    this.writer.flush();
    return this.pieces.join('');
  }
}
