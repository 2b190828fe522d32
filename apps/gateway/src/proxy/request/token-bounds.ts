import { type UsageBounds } from '@inference/metering';
import { type OutputLimitField } from '@inference/serving';
import { type Fields, holdsMedia } from './proxy-request.dto';
import { promptCount } from './prompt-count';
import { type ProxyRequest } from './proxy-request';
import { InvalidValueError } from './request.errors';
import { type Endpoint } from '../../upstreams/upstream';

/** What is known of a model, in tokens. */
export interface ModelLimits {
  /** The most of a prompt and its answer together. */
  contextTokens?: number | undefined;
  /** The longest answer that the model gives. */
  maxOutputTokens?: number | undefined;
  outputLimitField?: OutputLimitField | undefined;
}

/** For a model of which nothing is known: the longest answer, and a prompt with media. The window of most current models. */
const DEFAULT_CONTEXT_TOKENS = 131_072;

/**
 * What an answer of a chat may use besides tokens. Upstreams report it, and no field of a request bounds it. Chosen: a model that searches
 * asks a handful of times; twice doubles the hold of a model that is priced by it.
 */
const MOST_OF_A_CHAT = { search: 20, audio_second: 3_600 };

const isText = (part: Fields | null) =>
  (part?.type === 'text' || part?.type === 'refusal') && !holdsMedia(part);

/** Whether a message has content that its bytes do not bound: pictures, audio, or a reference to audio of an earlier answer. */
function hasMedia(messages: unknown): boolean {
  return (
    Array.isArray(messages) &&
    messages.some(
      (message: { content?: unknown; audio?: unknown } | null) =>
        Boolean(message?.audio) ||
        (Array.isArray(message?.content) && !message.content.every((part: Fields | null) => isText(part))),
    )
  );
}

export interface Bounds extends UsageBounds {
  /** The longest of the answers. */
  answerTokens: number;
  /** How many answers the output is made of. */
  answers: number;
  /** Whether the client has limited its answers. */
  isLimited: boolean;
  /** The limit that the gateway sets for each answer, and the field that the model takes it in. */
  imposed?: { field: OutputLimitField; tokens: number };
}

/**
 * Returns the most tokens that a request is expected to use. The size of the body bounds the prompt: a token is at least
 * one byte of text, and the JSON around a message is usually longer than what chat templates put around it.
 * @param mayBeNative whether an upstream may get it as its client has sent it
 */
export function boundsOf(
  { endpoint, raw, body, choices, native }: ProxyRequest,
  limits: ModelLimits,
  mayBeNative = false,
): Bounds {
  const { contextTokens, maxOutputTokens } = limits;
  if (endpoint === 'embeddings')
    return { inputTokens: raw.length, outputTokens: 0, answerTokens: 0, answers: 0, isLimited: true };
  // Upstreams differ in the field that they obey, so the highest limit counts. A limit is at least 1.
  const named = Math.max(body.max_completion_tokens ?? 0, body.max_tokens ?? 0, body.n_predict ?? 0);
  const isLimited = named > 0;
  const longest = Math.min(maxOutputTokens ?? Infinity, contextTokens ?? Infinity);
  const most = longest === Infinity ? (isLimited ? named : DEFAULT_CONTEXT_TOKENS) : longest;
  const answerTokens = isLimited ? Math.min(named, most) : most;
  const prompts = promptCount(endpoint, body.prompt);
  const answers = endpoint === 'completions' ? Math.max(choices, (body.best_of ?? 1) * prompts) : choices;
  const sentAsItIs = mayBeNative ? native : undefined;
  const isUnbounded =
    sentAsItIs?.hasServerTools || (endpoint === 'chat/completions' && hasMedia(body.messages));
  const bytes = isUnbounded
    ? (contextTokens ?? DEFAULT_CONTEXT_TOKENS)
    : Math.max(raw.length, sentAsItIs?.raw.length ?? 0);
  return {
    counts: endpoint === 'chat/completions' ? MOST_OF_A_CHAT : undefined,
    // Each of several prompts has the whole context.
    inputTokens: prompts > 1 ? bytes : Math.min(bytes, contextTokens ?? bytes),
    outputTokens: checkedProduct(answerTokens, answers),
    context: contextTokens !== undefined && prompts === 1 ? { tokens: contextTokens, answers } : undefined,
    answerTokens,
    answers,
    isLimited,
  };
}

/** The bounds with shorter answers, by a limit of the gateway or by one that the client could name. */
export const withAnswersOf = (bounds: Bounds, answerTokens: number): Bounds => ({
  ...bounds,
  answerTokens,
  outputTokens: answerTokens * bounds.answers,
});

/** The field of a request that limits its answers. Servers of text completions know one only. */
export const outputLimitFieldOf = (endpoint: Endpoint, { outputLimitField }: ModelLimits): OutputLimitField =>
  endpoint === 'chat/completions' ? (outputLimitField ?? 'max_tokens') : 'max_tokens';

function checkedProduct(maxTokens: number, choices: number): number {
  const product = maxTokens * choices;
  if (!Number.isSafeInteger(product))
    throw new InvalidValueError({ path: 'max_tokens', message: 'is too large' });
  return product;
}
