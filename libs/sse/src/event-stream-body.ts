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

/** Writes text to the body of an event stream. Returns false if the client is behind, as `response.write` does. */
export type WriteText = (text: string) => boolean;

/**
 * Opens the body of a response for text that does not go through Nest. The first text begins the response if Nest has not begun it
 * yet; Nest ends it. Nest's headers,
 * among them the misspelt `Expire: 0`, are replaced; headers that were set with `setHeader` are kept. To be called once it is
 * certain that the response becomes a stream: an error has other headers.
 */
export function openEventStreamBody(response: Response): WriteText {
  const writeHead = response.writeHead.bind(response);
  let hasBegun = false;
  response.writeHead = (statusCode: number) => {
    if (hasBegun) return ignoreNextWrite(response);
    hasBegun = true;
    return writeHead(statusCode, EVENT_STREAM_HEADERS);
  };
  return (text) => {
    if (hasBegun) return response.write(text);
    hasBegun = true;
    writeHead(response.statusCode, EVENT_STREAM_HEADERS);
    return response.write(FIRST_LINE + text);
  };
}

/** Nest writes it right after the headers. */
const FIRST_LINE = '\n';

/** Nest now writes its empty line, which has been sent already. */
function ignoreNextWrite(response: Response): Response {
  const { write } = response;
  response.write = () => {
    response.write = write;
    return true;
  };
  return response;
}
