import { ApiError } from '../../../api/api-error';
import { authorizedFetch } from '../../../api/authorized-fetch';
import { readEvents } from '../../../api/event-stream';
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
  const { apiUrl, session, body, signal } = call;
  const response = await authorizedFetch(session, `${apiUrl}/api/playground/chat/completions`, {
    method: 'POST',
    credentials: 'include',
    headers: { 'Content-Type': 'application/json' },
    body: stringifyExact({ ...body, stream: true }),
    signal,
  });
  const requestId = response.headers.get('X-Inference-Request-Id') ?? undefined;
  call.onAccepted(requestId);
  for await (const { data } of readEvents(response, signal)) {
    if (data === '[DONE]') return;
    const { choices, error } = parseExact(data) as Chunk;
    if (error) throw new ApiError({ status: 502, detail: error.message, requestId });
    const text = choices?.[0]?.delta?.content;
    if (text) yield text;
  }
  throw new ApiError({ status: 0, detail: 'The answer broke off.', requestId });
}
