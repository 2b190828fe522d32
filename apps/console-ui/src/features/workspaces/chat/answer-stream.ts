import { ApiError } from '../../../api/api-error';
import { authorizedFetch } from '../../../api/authorized-fetch';
import { readEvents } from '../../../api/event-stream';
import { type Session } from '../../../session/session';

interface Question {
  session: Session;
  memoUrl: string;
  workspaceId: string;
  query: string;
  /** Absent: a new conversation begins. */
  conversationId: string | undefined;
  signal: AbortSignal;
  /** Called with the conversation before the first piece of the answer. */
  onAccepted: (conversationId: string | undefined) => void;
}

/** Begins the last event of a complete answer. The citations are read from the stored message. */
const CITATIONS = 'Citations:';

/** The pieces of an answer as they arrive. Throws an ApiError, or what `signal` was aborted with. */
export async function* answerStream(question: Question): AsyncGenerator<string, void, undefined> {
  const { session, memoUrl, workspaceId, query, conversationId, signal, onAccepted } = question;
  const response = await authorizedFetch(session, `${memoUrl}/v1/workspaces/${workspaceId}/chat`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, ...(conversationId !== undefined && { conversation_id: conversationId }) }),
    signal,
  });
  onAccepted(response.headers.get('X-Conversation-Id') ?? undefined);
  let isComplete = false;
  for await (const { event, data } of readEvents(response, signal)) {
    if (event === 'error') throw streamedError(data, response);
    // The stream ends when the answer is stored.
    if (data.startsWith(CITATIONS)) isComplete = true;
    else yield data;
  }
  if (!isComplete) throw new ApiError({ status: 0, detail: 'The answer broke off.' });
}

function streamedError(data: string, { headers }: Response): ApiError {
  const { error, code } = JSON.parse(data) as { error: string; code: string };
  return new ApiError({
    status: 502,
    detail: error,
    code,
    requestId: headers.get('X-Request-Id') ?? undefined,
  });
}
