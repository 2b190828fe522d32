import { type EventSourceMessage } from 'eventsource-parser';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { connectionError } from './api-error';

/**
 * The server-sent events of an answer as they arrive. Throws an ApiError if the connection breaks, or what `signal`, that of the
 * call, was aborted with.
 */
export async function* readEvents(
  response: Response,
  signal: AbortSignal,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const reader = response
    .body!.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw signal.aborted ? error : connectionError(error);
    });
    if (done) return;
    yield value;
  }
}
