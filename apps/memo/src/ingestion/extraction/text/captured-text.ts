import { TextSink } from './text-sink';
import { TextWriter } from './text-writer';

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
