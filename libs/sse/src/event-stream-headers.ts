import { type Response } from 'express';

/** The response headers of every event stream. */
const EVENT_STREAM_HEADERS = {
  'Content-Type': 'text/event-stream',
  Connection: 'keep-alive',
  'Cache-Control': 'private, no-cache, no-store, must-revalidate, max-age=0, no-transform',
  Pragma: 'no-cache',
  // Stops nginx from buffering the stream.
  'X-Accel-Buffering': 'no',
};

/**
 * Replaces the headers that Nest passes to `writeHead`, among which is the misspelt `Expire: 0`. Headers that were set with
 * `setHeader` are kept. To be called once it is certain that the response becomes a stream: an error has other headers.
 */
export function useEventStreamHeaders(response: Response): void {
  const writeHead = response.writeHead.bind(response);
  response.writeHead = (statusCode: number) => writeHead(statusCode, EVENT_STREAM_HEADERS);
}
