import { ExtractionError } from '../../../tables/extraction-error';
import { detectMediaType, SIGNATURE_BYTES } from '../../../tables/media-type';
import { innerOutput, MAX_INNER_DOCUMENTS, type ReadingOutput } from '../format-reader';
import { CapturedText } from '../text/captured-text';

export interface Attachment {
  /** File name; empty without one. */
  name: string;
  /** The declared media type. */
  type: string | undefined;
  bytes: Buffer;
}

/** Faults of an attachment beside which the mail is still worth reading. */
const LEFT_OUT = new Set(['empty', 'corrupt', 'encrypted', 'unsupported']);

/** Writes the name of an attachment and its text. One that cannot be read is counted as left out. */
export async function writeAttachment(
  { name, type, bytes }: Attachment,
  output: ReadingOutput,
): Promise<void> {
  const { writer, omissions } = output;
  const mediaType = detectMediaType(bytes.subarray(0, SIGNATURE_BYTES), name, type);
  writer.block();
  if (name !== '') writer.flow(name);
  if (mediaType === null || output.level >= MAX_INNER_DOCUMENTS)
    return omissions.add(type?.startsWith('image/') ? 'picture' : 'embedded_file');
  const captured = new CapturedText(writer);
  try {
    await output.readInner(new Uint8Array(bytes), mediaType, innerOutput(output, captured.writer));
  } catch (error) {
    if (!(error instanceof ExtractionError) || !LEFT_OUT.has(error.code)) throw error;
    return omissions.add('embedded_file');
  }
  writer.block();
  writer.verbatim(captured.take());
}
