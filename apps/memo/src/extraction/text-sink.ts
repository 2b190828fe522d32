import { ReadingError } from './reading-error';

const SOMETHING_TO_READ = /[\p{L}\p{N}\p{S}]/u;

/** Takes the text of a document piece by piece and hands it on, within bounds. */
export class TextSink {
  length = 0;
  /** Whether there was anything but white space and punctuation. */
  isReadable = false;

  constructor(
    private readonly maxCharacters: number,
    private readonly onText: (piece: string) => void,
  ) {}

  /** `too_long` beyond the limit. */
  put(piece: string): void {
    if (piece === '') return;
    this.expect(this.length + piece.length);
    this.length += piece.length;
    this.isReadable ||= SOMETHING_TO_READ.test(piece);
    this.onText(piece);
  }

  /** For text that is still to be put: `too_long` if it would go beyond the limit. */
  expect(length: number): void {
    if (length > this.maxCharacters)
      throw new ReadingError('too_long', `The text is longer than ${this.maxCharacters} characters.`);
  }
}
