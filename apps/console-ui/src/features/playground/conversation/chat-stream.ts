import { EventSourceParserStream } from 'eventsource-parser/stream';
import { ApiError, apiErrorOf, toApiError } from '../../../api/api-error';
import { parseExact, stringifyExact } from '../../../api/exact-json';
import { type Session } from '../../../session/session';

export interface ChatCall {
  apiUrl: string;
  session: Session;
  body: object;
  signal: AbortSignal;
  /** Called with the id of the call in the request log, before the first piece of the answer. */
  onAccepted: (requestId: string | undefined) => void;
}

interface Chunk {
  choices?: { delta?: { content?: string | null } }[];
  error?: { message: string };
}

/** The pieces of a model's answer as they arrive. Throws an ApiError, or what `signal` was aborted with. */
export async function* chatStream(call: ChatCall): AsyncGenerator<string, void, undefined> {
  const response = await accepted(call);
  const requestId = response.headers.get('X-Inference-Request-Id') ?? undefined;
  call.onAccepted(requestId);
  const events = response
    .body!.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .pipeThrough(new EventSourceParserStream());
  let isComplete = false;
  const reader = events.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (value.data === '[DONE]') {
        isComplete = true;
        break;
      }
      const { choices, error } = parseExact(value.data) as Chunk;
      if (error) throw new ApiError({ status: 502, detail: error.message, requestId });
      const text = choices?.[0]?.delta?.content;
      if (text) yield text;
    }
  } catch (error) {
    throw call.signal.aborted ? error : toApiError(error);
  }
  if (!isComplete) throw new ApiError({ status: 0, detail: 'The answer broke off.', requestId });
}

/** The response of a call that was accepted. A 401 renews the token once. */
async function accepted({ apiUrl, session, body, signal }: ChatCall): Promise<Response> {
  const send = (token: string | undefined) =>
    fetch(`${apiUrl}/api/playground/chat/completions`, {
      method: 'POST',
      credentials: 'include',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: stringifyExact({ ...body, stream: true }),
      signal,
    }).catch((error: unknown) => {
      throw signal.aborted ? error : toApiError(error);
    });
  const { token } = session;
  let response = await send(token);
  if (response.status === 401) {
    const renewed = await session.renew(token);
    if (renewed !== undefined) response = await send(renewed);
  }
  if (response.ok) return response;
  const text = await response.text();
  throw apiErrorOf(response, text.startsWith('{') ? parseExact(text) : undefined);
}
