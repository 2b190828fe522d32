import { useCallback, useEffect, useRef, useState } from 'react';
import { accountKey, keep, readKept } from '../../api/account-storage';
import { ApiError, toApiError } from '../../api/api-error';
import { authorizedFetch } from '../../api/authorized-fetch';
import { readEvents } from '../../api/read-events';
import { parseExact, stringifyExact } from '../../api/exact-json';
import { type Session, useAccountId, useSession } from '../../api/session';
import { useRuntimeConfig } from '../../api/site';
import { type Answer, EMPTY, type Parameters, requestBody, restored } from './conversation';

/** The conversation of the account in this tab, and what changes it. It survives a reload, not the tab. */
export function useConversation() {
  const session = useSession();
  const { apiUrl } = useRuntimeConfig();
  const accountId = useAccountId();
  const key = accountId === undefined ? undefined : accountKey(accountId, 'playground');
  const [conversation, setConversation] = useState(() => restored(key ? readKept('tab', key) : null));
  const running = useRef(new Set<AbortController>());
  useEffect(() => {
    if (key) keep('tab', key, JSON.stringify(conversation));
  }, [key, conversation]);
  useEffect(() => {
    const calls = running.current;
    return () => calls.forEach((call) => call.abort());
  }, []);

  const changeAnswer = useCallback((turnId: string, place: number, change: (answer: Answer) => Answer) => {
    setConversation((before) => ({
      ...before,
      turns: before.turns.map((turn) =>
        turn.id === turnId
          ? {
              ...turn,
              answers: turn.answers.map((answer, index) => (index === place ? change(answer) : answer)),
            }
          : turn,
      ),
    }));
  }, []);

  const ask = useCallback(
    async (turnId: string, place: number, body: object) => {
      const call = new AbortController();
      running.current.add(call);
      const change = (part: Partial<Answer>) =>
        changeAnswer(turnId, place, (answer) => ({ ...answer, ...part }));
      try {
        const pieces = chatStream({
          apiUrl,
          session,
          body,
          signal: call.signal,
          onAccepted: (requestId) => change({ requestId }),
        });
        for await (const piece of pieces)
          changeAnswer(turnId, place, (answer) => ({ ...answer, text: answer.text + piece }));
        change({ state: 'complete' });
      } catch (error) {
        if (call.signal.aborted) return change({ state: 'stopped' });
        const { status, detail, requestId, retryAfterSeconds } = toApiError(error);
        change({ state: 'failed', failure: { status, detail, requestId, retryAfterSeconds } });
      } finally {
        running.current.delete(call);
      }
    },
    [apiUrl, session, changeAnswer],
  );

  return {
    conversation,
    isBusy: conversation.turns.at(-1)?.answers.some(({ state }) => state === 'waiting') ?? false,
    setParameters: (parameters: Parameters) => setConversation((before) => ({ ...before, parameters })),
    setDraft: (draft: string) => setConversation((before) => ({ ...before, draft })),
    clear: () => setConversation((before) => ({ ...EMPTY, parameters: before.parameters })),
    stop: () => running.current.forEach((call) => call.abort()),
    send: (parameters: Parameters) => {
      const { draft: prompt, turns } = conversation;
      const id = crypto.randomUUID();
      const answers = parameters.models.map((model) => ({ model, text: '', state: 'waiting' as const }));
      setConversation({ parameters, draft: '', turns: [...turns, { id, prompt, answers }] });
      answers.forEach((_, place) => void ask(id, place, requestBody(parameters, turns, prompt, place)));
    },
    /** Asks for an answer of the newest turn again. */
    retry: (place: number) => {
      const { parameters, turns } = conversation;
      const turn = turns.at(-1)!;
      const { model } = turn.answers[place]!;
      const models = turn.answers.map(({ model: asked }) => asked);
      changeAnswer(turn.id, place, () => ({ model, text: '', state: 'waiting' }));
      void ask(
        turn.id,
        place,
        requestBody({ ...parameters, models }, turns.slice(0, -1), turn.prompt, place),
      );
    },
  };
}

interface ChatCall {
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
async function* chatStream(call: ChatCall): AsyncGenerator<string, void, undefined> {
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
