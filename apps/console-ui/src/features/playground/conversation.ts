import { Figure } from '../../figures/figure';

/** What the form of the playground sets. Numbers are texts as they were typed. */
export interface Parameters {
  /** One model, or two side by side. */
  models: string[];
  system: string;
  temperature: string;
  maxTokens: string;
}

/** A failed call, as it is shown and kept. */
export interface Failure {
  status: number;
  detail: string;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
}

export interface Answer {
  model: string;
  text: string;
  state: 'waiting' | 'complete' | 'stopped' | 'failed';
  /** Names the call in the request log; absent until the service has accepted it. */
  requestId?: string | undefined;
  failure?: Failure | undefined;
}

/** A prompt with the answer of each model. */
export interface Turn {
  id: string;
  prompt: string;
  answers: Answer[];
}

export interface Conversation {
  parameters: Parameters;
  /** What is typed and not sent yet. */
  draft: string;
  turns: Turn[];
}

export const EMPTY: Conversation = {
  parameters: { models: [], system: '', temperature: '', maxTokens: '512' },
  draft: '',
  turns: [],
};

interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** The body of the call that answers the prompt with one model. It knows the earlier answers of the same place only. */
export function requestBody(
  { models, system, temperature, maxTokens }: Parameters,
  turns: Turn[],
  prompt: string,
  place: number,
) {
  const earlier = turns.flatMap(({ prompt: asked, answers }): Message[] => {
    const text = answers[place]?.text;
    if (!text) return [];
    return [
      { role: 'user', content: asked },
      { role: 'assistant', content: text },
    ];
  });
  const messages: Message[] = [
    ...(system.trim() ? [{ role: 'system' as const, content: system }] : []),
    ...earlier,
    { role: 'user', content: prompt },
  ];
  const tokens = Figure.parse(maxTokens.trim());
  const warmth = Figure.parse(temperature.trim());
  return {
    model: models[place] ?? '',
    messages,
    ...(tokens && { max_tokens: tokens }),
    ...(warmth && { temperature: warmth }),
  };
}

const HIGHEST_TEMPERATURE = Figure.of('2');

/** Nothing, or a number from 0 to 2. */
export function isTemperature(text: string): boolean {
  if (text.trim() === '') return true;
  const figure = Figure.parse(text.trim());
  return figure !== undefined && !figure.isNegative && figure.compare(HIGHEST_TEMPERATURE) <= 0;
}

/** Nothing, or a positive whole number. */
export const isTokenCount = (text: string): boolean => /^(|[1-9]\d{0,6})$/.test(text.trim());

/** A stored conversation; calls that were under way when the page was left have stopped. */
export function restored(stored: string | null): Conversation {
  try {
    const { parameters, draft, turns } = JSON.parse(stored ?? '') as Conversation;
    const stopped = turns.map((turn) => ({
      ...turn,
      answers: turn.answers.map((answer) =>
        answer.state === 'waiting' ? { ...answer, state: 'stopped' as const } : answer,
      ),
    }));
    return { parameters: { ...EMPTY.parameters, ...parameters }, draft, turns: stopped };
  } catch {
    return EMPTY;
  }
}

/** The parameters with models that are offered: the first one if none of the chosen ones is. */
export function withOfferedModels(parameters: Parameters, offered: string[]): Parameters {
  const models = parameters.models.filter((model) => offered.includes(model));
  return { ...parameters, models: models.length > 0 ? models : offered.slice(0, 1) };
}
