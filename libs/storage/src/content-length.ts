import { type Readable } from 'node:stream';

/**
 * Yields the source and throws unless it has exactly `sizeBytes` bytes. A source that is not read to its end is not
 * destroyed: it may be a request whose socket still has to carry the response.
 */
export async function* requireContentLength(
  source: Readable,
  sizeBytes: number,
): AsyncGenerator<Buffer, void> {
  let readBytes = 0;
  for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    readBytes += chunk.length;
    if (readBytes > sizeBytes) throw new Error(`The source has more than the announced ${sizeBytes} bytes.`);
    yield chunk;
  }
  if (readBytes < sizeBytes) throw new Error(`The source ended after ${readBytes} of ${sizeBytes} bytes.`);
}
