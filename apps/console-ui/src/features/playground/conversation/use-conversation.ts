import { useCallback, useEffect, useRef, useState } from 'react';
import { toApiError } from '../../../api/api-error';
import { useRuntimeConfig } from '../../../app/runtime-config';
import { useSession } from '../../../session/session-context';
import { chatStream } from './chat-stream';
import {
  type Answer,
  type Conversation,
  EMPTY,
  type Parameters,
  requestBody,
  restored,
} from './conversation';

/** Survives a reload, not the tab. */
const STORAGE_KEY = 'playground';

function store(conversation: Conversation): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(conversation));
  } catch {
    // Storage is full or switched off.
  }
}

function read(): Conversation {
  try {
    return restored(sessionStorage.getItem(STORAGE_KEY));
  } catch {
    return EMPTY;
  }
}

/** The conversation of this tab, and what changes it. */
export function useConversation() {
  const session = useSession();
  const { apiUrl } = useRuntimeConfig();
  const [conversation, setConversation] = useState(read);
  const running = useRef(new Set<AbortController>());
  useEffect(() => store(conversation), [conversation]);
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
