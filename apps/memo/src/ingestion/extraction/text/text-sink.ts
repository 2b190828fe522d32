import { ExtractionError } from '../../../tables/extraction-error';

/**
 * Reports how much of a document is extracted. It is called after the text of the counted part.
 * The unit is pages for PDF, slides for PPTX, chapters for EPUB, unpacked bytes for other archives, and bytes for other formats.
 */
export type OnProgress = (processed: number, total: number) => void;

const SOMETHING_TO_READ = /[\p{L}\p{N}\p{S}]/u;

/** Passes the text of a document on piece by piece, up to the maximum length. */
export class TextSink {
  length = 0;
  /** Whether there was any letter, number or symbol. */
  isReadable = false;

  constructor(
    private readonly maxCharacters: number,
    private readonly onText: (piece: string) => void,
  ) {}

  /** Throws `too_long` beyond the maximum length. */
  put(piece: string): void {
    if (piece === '') return;
    this.requireRoomFor(this.length + piece.length);
    this.length += piece.length;
    this.isReadable ||= SOMETHING_TO_READ.test(piece);
    this.onText(piece);
  }

  /** Checks before the text is written: throws `too_long` if `length` exceeds the maximum. */
  requireRoomFor(length: number): void {
    if (length > this.maxCharacters)
      throw new ExtractionError('too_long', `The text is longer than ${this.maxCharacters} characters.`);
  }
}
