import { errorSentence, ExtractionError, isResourceExhaustion } from '../../../tables/extraction-error';

/** Reads a file. An error of a library describes the file: a wrong signature, size, offset or stream. */
export async function readDamaged(read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (error instanceof ExtractionError || isResourceExhaustion(error)) throw error;
    throw new ExtractionError('corrupt', `The document is damaged: ${errorSentence(error)}`);
  }
}
