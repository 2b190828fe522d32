import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, toApiError } from '../../../api/api-error';
import { authorizedFetch } from '../../../api/authorized-fetch';
import { readEvents } from '../../../api/read-events';
import { useMemoApi } from '../../../api/service-apis';
import { type Session, useSession } from '../../../api/session';
import { useSite } from '../../../api/site';
import { conversationsKey, messagesQuery } from './chat-queries';
import { type Conditions, conditionFields } from './conditions';

interface Question {
  session: Session;
  memoUrl: string;
  workspaceId: string;
  query: string;
  conditions: Conditions;
  /** Absent: a new conversation begins. */
  conversationId: string | undefined;
  signal: AbortSignal;
  /** Called with the conversation before the first piece of the answer. */
  onAccepted: (conversationId: string | undefined) => void;
}

/** Begins the last event of a complete answer. The citations are read from the stored message. */
const CITATIONS = 'Citations:';

/** The pieces of an answer as they arrive. Throws an ApiError, or what `signal` was aborted with. */
async function* answerStream(question: Question): AsyncGenerator<string, void, undefined> {
  const { session, memoUrl, workspaceId, query, conditions, conversationId, signal, onAccepted } = question;
  const response = await authorizedFetch(session, `${memoUrl}/v1/workspaces/${workspaceId}/chat`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      query,
      ...conditionFields(conditions),
      ...(conversationId !== undefined && { conversation_id: conversationId }),
    }),
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

/** A question whose answer is not among the stored messages yet. */
interface LiveQuestion {
  query: string;
  answer: string;
  isRunning: boolean;
  /** How many stored messages were there before it. */
  messagesBefore: number;
}

/** Asks questions in a conversation. `onStarted`: called with the id of a new conversation when its first answer has ended. */
export function useQuestion(
  workspaceId: string,
  conversationId: string | undefined,
  onStarted: (conversationId: string) => Promise<void>,
) {
  const api = useMemoApi();
  const session = useSession();
  const { urls } = useSite();
  const queryClient = useQueryClient();
  const [live, setLive] = useState<LiveQuestion>();
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const storedMessages = useCallback(
    (id: string | undefined) =>
      queryClient.fetchQuery({ ...messagesQuery(api, workspaceId, id), staleTime: 0 }).catch(() => undefined),
    [queryClient, api, workspaceId],
  );

  /** Resolves with false if the question was not accepted. */
  const ask = useCallback(
    async (query: string, conditions: Conditions): Promise<boolean> => {
      const call = new AbortController();
      running.current = call;
      setError(undefined);
      const change = (part: (question: LiveQuestion) => Partial<LiveQuestion>) =>
        setLive((question) => question && { ...question, ...part(question) });
      // An answer that was stopped is stored by now.
      const messagesBefore = (conversationId && (await storedMessages(conversationId))?.length) || 0;
      setLive({ query, answer: '', isRunning: true, messagesBefore });
      let id = conversationId;
      let isAccepted = false;
      try {
        const pieces = answerStream({
          session,
          memoUrl: urls.memo,
          workspaceId,
          query,
          conditions,
          conversationId,
          signal: call.signal,
          onAccepted: (accepted) => {
            isAccepted = true;
            id = accepted ?? id;
          },
        });
        for await (const piece of pieces) change(({ answer }) => ({ answer: answer + piece }));
      } catch (thrown) {
        if (!call.signal.aborted) setError(toApiError(thrown));
      }
      if (!isAccepted) {
        setLive(undefined);
        return false;
      }
      const messages = await storedMessages(id);
      if (id !== undefined && id !== conversationId) await onStarted(id);
      // The service stores a stopped answer a moment later; until then it is shown as it came.
      if (messages && messages.length > messagesBefore + 1) setLive(undefined);
      else change(() => ({ isRunning: false }));
      await queryClient.invalidateQueries({ queryKey: conversationsKey(workspaceId) });
      return true;
    },
    [conversationId, onStarted, queryClient, session, storedMessages, urls.memo, workspaceId],
  );

  return { live, error, ask, stop: () => running.current?.abort() };
}
