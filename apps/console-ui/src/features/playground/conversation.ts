import { bodyMembers, DEFAULTS, type Parameters, parametersIn } from './parameters';

/** A failed call, as it is shown and kept. */
export interface Failure {
  status: number;
  detail: string;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  code?: string | undefined;
  /** What the wallet lacks for the call, with all digits. */
  missingAmount?: string | undefined;
}

/** A function that the model wants to be called. */
export interface ToolCall {
  id: string;
  name: string;
  /** JSON as the model wrote it. */
  arguments: string;
  /** What the function returned; entered by the person. */
  result: string;
}

/** One call of a model. An answer takes several if the model calls functions. */
export interface Step {
  text: string;
  /** What the model thought before it answered, if it says so. */
  reasoning: string;
  toolCalls: ToolCall[];
  state: 'waiting' | 'complete' | 'stopped' | 'failed';
  /** Names the call in the request log; absent until the service has accepted it. */
  requestId?: string | undefined;
  failure?: Failure | undefined;
  /** From sending until the first piece of the answer, and until its end. */
  firstPieceMillis?: number | undefined;
  millis?: number | undefined;
  outputTokens?: number | undefined;
  /** Why the model ended: `stop`, `length`, `tool_calls`. */
  finishReason?: string | undefined;
}

/** What a model answered. Without a step it was deleted. */
export interface Answer {
  model: string;
  steps: Step[];
}

export interface Picture {
  name: string;
  /** A data URL; '' if the picture was too large to be kept. */
  url: string;
}

export interface Prompt {
  text: string;
  pictures: Picture[];
}

/** A prompt with the answer of each model. */
export interface Turn {
  id: string;
  prompt: Prompt;
  answers: Answer[];
}

/** A conversation as the account's history keeps it. */
export interface Saved {
  id: string;
  revision: number;
}

export interface Conversation {
  /** Names a conversation that is not saved yet: one key makes one entry of the history. */
  key: string;
  parameters: Parameters;
  /** What is typed and not sent yet. */
  draft: Prompt;
  turns: Turn[];
  saved?: Saved | undefined;
  /** Whether the history has these turns. */
  isSaved: boolean;
  /** The page was left before it was known whether the history has an entry, and with which turns. */
  isUncertain?: boolean | undefined;
}

export const NO_PROMPT: Prompt = { text: '', pictures: [] };

export const newConversation = (parameters: Parameters = DEFAULTS): Conversation => ({
  key: crypto.randomUUID(),
  parameters,
  draft: NO_PROMPT,
  turns: [],
  isSaved: true,
});

export const WAITING: Step = { text: '', reasoning: '', toolCalls: [], state: 'waiting' };

export const isEmptyPrompt = ({ text, pictures }: Prompt): boolean =>
  text.trim() === '' && pictures.length === 0;

export const isWaiting = ({ steps }: Answer): boolean => steps.at(-1)?.state === 'waiting';

/** Whether the model waits for results of functions before it goes on. */
export const wantsResults = ({ steps }: Answer): boolean => {
  const last = steps.at(-1);
  return last?.state === 'complete' && last.toolCalls.length > 0;
};

export const textOf = ({ steps }: Answer): string =>
  steps
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join('\n\n');

type Message = Record<string, unknown> & { role: 'system' | 'user' | 'assistant' | 'tool' };

function contentOf({ text, pictures }: Prompt): unknown {
  const sent = pictures.filter(({ url }) => url !== '');
  if (sent.length === 0) return text;
  return [
    ...(text.trim() === '' ? [] : [{ type: 'text', text }]),
    ...sent.map(({ url }) => ({ type: 'image_url', image_url: { url } })),
  ];
}

function messagesOf({ steps }: Answer): Message[] {
  return steps.flatMap(({ text, toolCalls }): Message[] => {
    if (toolCalls.length === 0) return text === '' ? [] : [{ role: 'assistant', content: text }];
    const calls = toolCalls.map(({ id, name, arguments: args }) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    }));
    return [
      { role: 'assistant', content: text === '' ? null : text, tool_calls: calls },
      ...toolCalls.map(({ id, result }): Message => ({ role: 'tool', tool_call_id: id, content: result })),
    ];
  });
}

/**
 * The body of the call that answers the last turn with the model of a place. Every model gets all prompts, with its own answers
 * between them; one that was added later gets those of the first.
 */
export function requestBody(parameters: Parameters, turns: Turn[], place: number): Record<string, unknown> {
  const { models, system } = parameters;
  const messages = turns.flatMap(({ prompt, answers }): Message[] => {
    const answer = answers[place] ?? answers[0];
    return [{ role: 'user', content: contentOf(prompt) }, ...(answer ? messagesOf(answer) : [])];
  });
  return {
    model: models[place] ?? '',
    messages: [...(system.trim() ? [{ role: 'system', content: system }] : []), ...messages],
    ...bodyMembers(parameters),
  };
}

/** The turns with what is typed as the last one. */
export const withDraft = ({ turns, draft }: Pick<Conversation, 'turns' | 'draft'>): Turn[] => [
  ...turns,
  { id: '', prompt: draft, answers: [] },
];

const ended = (step: Step): Step => (step.state === 'waiting' ? { ...step, state: 'stopped' } : step);

/** Reads turns that this version has written, with calls that were under way stopped. Throws if it cannot. */
function turnsIn(stored: unknown): Turn[] {
  return (stored as Turn[]).map(({ id, prompt: { text, pictures }, answers }) => ({
    id: String(id),
    prompt: { text: String(text), pictures: [...pictures] },
    answers: answers.map(({ model, steps }) => ({ model, steps: steps.map(ended) })),
  }));
}

/** What this tab keeps of a conversation. A new one if there is none that can be read. */
export function restored(stored: string | null): Conversation {
  try {
    const { key, parameters, draft, turns, saved, isSaved } = JSON.parse(stored ?? '') as Conversation;
    return {
      key: String(key),
      parameters: parametersIn(parameters),
      draft: { text: String(draft.text), pictures: [...draft.pictures] },
      turns: turnsIn(turns),
      saved,
      isSaved,
      isUncertain: !saved && !isSaved,
    };
  } catch {
    return newConversation();
  }
}

/** A conversation of the history. Throws if it cannot be read. */
export function fromHistory(content: unknown, saved: Saved): Conversation {
  const { parameters, turns } = content as { parameters?: unknown; turns?: unknown };
  return { ...newConversation(parametersIn(parameters)), turns: turnsIn(turns ?? []), saved };
}

/** What the history keeps of a conversation. */
export interface StoredContent {
  parameters: Parameters;
  turns: Turn[];
}

/** The limit of the console for the JSON of one conversation. */
const MOST_STORED_BYTES = 4 * 1024 * 1024;

/** The console refuses texts with NUL characters or halves of surrogate pairs. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;

const storable = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll(UNSTORABLE, '\uFFFD') : value;

/** `omitted`: the pictures were too large to be stored. Undefined if the texts alone are too long. */
export function forHistory({
  parameters,
  turns,
}: Conversation): { content: StoredContent; isWithoutPictures: boolean } | undefined {
  const fits = (content: StoredContent) => {
    const text = JSON.stringify(content, storable);
    return new Blob([text]).size <= MOST_STORED_BYTES ? (JSON.parse(text) as StoredContent) : undefined;
  };
  const whole = fits({ parameters, turns });
  if (whole) return { content: whole, isWithoutPictures: false };
  const bare = turns.map((turn) => ({
    ...turn,
    prompt: { ...turn.prompt, pictures: turn.prompt.pictures.map(({ name }) => ({ name, url: '' })) },
  }));
  const short = fits({ parameters, turns: bare });
  return short && { content: short, isWithoutPictures: true };
}

const MOST_TITLE_CHARS = 80;

/** The title in the history: the beginning of the first message. */
export function titleOf({ turns }: Conversation, otherwise: string): string {
  const text = turns[0]?.prompt.text.replaceAll(/[\s\p{C}]+/gu, ' ').trim() ?? '';
  const characters = [...text];
  if (characters.length === 0) return otherwise;
  return characters.length <= MOST_TITLE_CHARS
    ? text
    : `${characters.slice(0, MOST_TITLE_CHARS).join('').trimEnd()}…`;
}
