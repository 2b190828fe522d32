import { type MediaType } from '../../tables/media-type';
import { type Omissions } from '../../tables/omission';
import { type OnProgress } from './text/text-sink';
import { type TextWriter } from './text/text-writer';

/** Where a reader puts what it finds in a file. */
export interface ReadingOutput {
  writer: TextWriter;
  omissions: Omissions;
  /** Offsets at which the pages begin; a reader of a format with pages appends to them. */
  pageStarts: number[];
  onProgress: OnProgress;
  /** How many documents the file is a part of. */
  level: number;
  /** Writes the text of a file inside of this one. */
  readInner(bytes: Uint8Array, mediaType: MediaType, output: ReadingOutput): Promise<void>;
}

/** Documents within documents that are read. Programs write one level; mails are forwarded a few times. */
export const MAX_INNER_DOCUMENTS = 3;

/** The output of a document inside of another one: its pages and its progress are not those of the file. */
export const innerOutput = (output: ReadingOutput, writer: TextWriter): ReadingOutput => ({
  ...output,
  writer,
  pageStarts: [],
  onProgress: () => undefined,
  level: output.level + 1,
});

/** Writes the text of a file. Throws an ExtractionError if the file is at fault. */
export type FormatReader = (bytes: Uint8Array, output: ReadingOutput) => void | Promise<void>;
