import { type Dispatch, type SetStateAction, useEffect, useMemo, useRef, useState } from 'react';
import { accountKey, keep, readKept } from '../../api/account-storage';
import { toApiError } from '../../api/api-error';
import { type Session, useAccountId, useSession } from '../../api/session';
import { useRuntimeConfig } from '../../api/site';
import { answerSteps } from './chat-stream';
import {
  type Answer,
  type Conversation,
  isWaiting,
  newConversation,
  NO_PROMPT,
  type Prompt,
  requestBody,
  restored,
  type Step,
  type Turn,
  WAITING,
} from './conversation';
import { type Parameters } from './parameters';

type SetConversation = Dispatch<SetStateAction<Conversation>>;

const KEEP_DELAY_MILLIS = 300;

/** The conversation of the account in this tab, and what changes it. It survives a reload, not the tab. */
export function useConversation() {
  const session = useSession();
  const { apiUrl } = useRuntimeConfig();
  const [conversation, setConversation] = useKeptConversation();
  const calls = useRef(new Set<AbortController>());
  const current = useRef(conversation);
  useEffect(() => {
    current.current = conversation;
  }, [conversation]);
  useEffect(() => {
    const running = calls.current;
    return () => running.forEach((call) => call.abort());
  }, []);
  const actions = useMemo(
    () => actionsOf({ apiUrl, session, calls: calls.current, current, setConversation }),
    [apiUrl, session, setConversation],
  );
  return {
    conversation,
    isBusy: conversation.turns.some(({ answers }) => answers.some(isWaiting)),
    setConversation,
    actions,
  };
}

function useKeptConversation(): [Conversation, SetConversation] {
  const accountId = useAccountId();
  const key = accountId === undefined ? undefined : accountKey(accountId, 'playground');
  const [conversation, setConversation] = useState(() => restored(key ? readKept('tab', key) : null));
  const latest = useRef(conversation);
  useEffect(() => {
    latest.current = conversation;
  }, [conversation]);
  // Not with each piece of an answer: a conversation with pictures has megabytes.
  useEffect(() => {
    if (!key) return undefined;
    const timer = setTimeout(() => keepConversation(key, conversation), KEEP_DELAY_MILLIS);
    return () => clearTimeout(timer);
  }, [key, conversation]);
  useEffect(() => {
    if (!key) return undefined;
    const keepNow = () => keepConversation(key, latest.current);
    window.addEventListener('pagehide', keepNow);
    return () => {
      window.removeEventListener('pagehide', keepNow);
      keepNow();
    };
  }, [key]);
  return [conversation, setConversation];
}

/** A tab keeps about five million characters: pictures are left out if they are more. */
function keepConversation(key: string, conversation: Conversation): void {
  if (keep('tab', key, JSON.stringify(conversation))) return;
  const bare = ({ text, pictures }: Prompt): Prompt => ({
    text,
    pictures: pictures.map(({ name }) => ({ name, url: '' })),
  });
  const turns = conversation.turns.map((turn) => ({ ...turn, prompt: bare(turn.prompt) }));
  const draft = { ...conversation.draft, pictures: [] };
  if (!keep('tab', key, JSON.stringify({ ...conversation, turns, draft }))) keep('tab', key, undefined);
}

interface Context {
  apiUrl: string;
  session: Session;
  calls: Set<AbortController>;
  current: { readonly current: Conversation };
  setConversation: SetConversation;
}

export type ConversationActions = ReturnType<typeof actionsOf>;

function actionsOf({ apiUrl, session, calls, current, setConversation }: Context) {
  const setTurns = (change: (turns: Turn[]) => Turn[]) =>
    setConversation((before) => ({ ...before, turns: change(before.turns), isSaved: false }));
  const setAnswer = (turnId: string, place: number, change: (answer: Answer) => Answer) =>
    setTurns((turns) =>
      turns.map((turn) =>
        turn.id === turnId
          ? {
              ...turn,
              answers: turn.answers.map((answer, index) => (index === place ? change(answer) : answer)),
            }
          : turn,
      ),
    );
  const setLastStep = (turnId: string, place: number, change: (step: Step) => Step) =>
    setAnswer(turnId, place, (answer) => ({
      ...answer,
      steps: answer.steps.map((step, index) => (index === answer.steps.length - 1 ? change(step) : step)),
    }));

  /** Fills the last step of an answer with what the model answers to the body. */
  const ask = async (turnId: string, place: number, body: object) => {
    const call = new AbortController();
    calls.add(call);
    try {
      for await (const step of answerSteps({ apiUrl, session, body, signal: call.signal }))
        setLastStep(turnId, place, () => step);
    } catch (error) {
      if (call.signal.aborted)
        return setLastStep(turnId, place, (step) => ({ ...step, state: 'stopped' as const }));
      const { status, detail, requestId, retryAfterSeconds, code, missingAmount } = toApiError(error);
      const failure = {
        status,
        detail,
        requestId,
        retryAfterSeconds,
        code,
        missingAmount: missingAmount?.toString(),
      };
      setLastStep(turnId, place, (step) => ({ ...step, state: 'failed' as const, failure }));
    } finally {
      calls.delete(call);
    }
  };

  /** Adds a turn and asks all models. */
  const begin = (parameters: Parameters, earlier: Turn[], prompt: Prompt, draft: Prompt) => {
    const id = crypto.randomUUID();
    const turn = { id, prompt, answers: [] };
    const answers = parameters.models.map((model) => ({ model, steps: [WAITING] }));
    setConversation((before) => ({
      ...before,
      parameters,
      draft,
      turns: [...earlier, { ...turn, answers }],
      isSaved: false,
    }));
    parameters.models.forEach(
      (_model, place) => void ask(id, place, requestBody(parameters, [...earlier, turn], place)),
    );
  };

  const upTo = (turnId: string): Turn[] => {
    const { turns } = current.current;
    return turns.slice(0, turns.findIndex(({ id }) => id === turnId) + 1);
  };

  return {
    setParameters: (parameters: Parameters) => setConversation((before) => ({ ...before, parameters })),
    changeDraft: (change: (draft: Prompt) => Prompt) =>
      setConversation((before) => ({ ...before, draft: change(before.draft) })),
    /** Begins a new conversation with the same parameters. */
    clear: () => {
      calls.forEach((call) => call.abort());
      setConversation((before) => newConversation(before.parameters));
    },
    stop: () => calls.forEach((call) => call.abort()),
    send: (parameters: Parameters) => {
      const { turns, draft } = current.current;
      begin(parameters, turns, draft, NO_PROMPT);
    },
    /** Replaces a prompt, and what follows it, by a new one. */
    resend: (parameters: Parameters, turnId: string, prompt: Prompt) =>
      begin(parameters, upTo(turnId).slice(0, -1), prompt, current.current.draft),
    /** Asks one model again. The other answers of the turn stay. */
    regenerate: (parameters: Parameters, turnId: string, place: number) => {
      const turns = upTo(turnId);
      const turn = turns.at(-1)!;
      const model = parameters.models[place] ?? turn.answers[place]!.model;
      const models = turn.answers.map((answer, index) => (index === place ? model : answer.model));
      setAnswer(turnId, place, () => ({ model, steps: [WAITING] }));
      const asked = { ...turn, answers: turn.answers.map((answer) => ({ ...answer, steps: [] })) };
      void ask(turnId, place, requestBody({ ...parameters, models }, [...turns.slice(0, -1), asked], place));
    },
    /** Goes on with the results of the functions that the model has called. */
    sendResults: (parameters: Parameters, turnId: string, place: number) => {
      const turns = upTo(turnId);
      const models = turns.at(-1)!.answers.map(({ model }) => model);
      setAnswer(turnId, place, (answer) => ({ ...answer, steps: [...answer.steps, WAITING] }));
      void ask(turnId, place, requestBody({ ...parameters, models }, turns, place));
    },
    /** What is typed is saved when it is sent. */
    setResult: (turnId: string, place: number, callIndex: number, result: string) => {
      const { isSaved } = current.current;
      setLastStep(turnId, place, (step) => ({
        ...step,
        toolCalls: step.toolCalls.map((call, index) => (index === callIndex ? { ...call, result } : call)),
      }));
      setConversation((before) => ({ ...before, isSaved }));
    },
    /** Changes what the model is said to have answered. */
    editAnswer: (turnId: string, place: number, text: string) =>
      setLastStep(turnId, place, (step) => ({ ...step, text })),
    deleteTurn: (turnId: string) => setTurns((turns) => turns.filter(({ id }) => id !== turnId)),
    deleteAnswer: (turnId: string, place: number) =>
      setAnswer(turnId, place, (answer) => ({ ...answer, steps: [] })),
  };
}
