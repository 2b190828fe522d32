import { type Readable } from 'node:stream';

/**
 * Exactly as many bytes of the source as were announced, or an error. A source that is not read to its end is left as
 * it is, since an answer may have to go where it comes from.
 */
export async function* announcedBytes(source: Readable, sizeBytes: number): AsyncGenerator<Buffer, void> {
  let taken = 0;
  for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    taken += chunk.length;
    if (taken > sizeBytes) throw new Error(`The source has more than the announced ${sizeBytes} bytes.`);
    yield chunk;
  }
  if (taken < sizeBytes) throw new Error(`The source ended after ${taken} of ${sizeBytes} bytes.`);
}
