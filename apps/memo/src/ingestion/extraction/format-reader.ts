import { type Omissions } from './omissions';
import { type OnProgress } from './text/progress';
import { type TextWriter } from './text/text-writer';

/** Where a reader puts what it finds in a file. */
export interface ReadingOutput {
  writer: TextWriter;
  omissions: Omissions;
  /** Offsets at which the pages begin; a reader of a format with pages appends to them. */
  pageStarts: number[];
  onProgress: OnProgress;
}

/** Writes the text of a file. Throws an ExtractionError if the file is at fault. */
export type FormatReader = (bytes: Uint8Array, output: ReadingOutput) => void | Promise<void>;
