import { type UsageBounds } from '@inference/metering';
import { type Fields, holdsMedia } from './proxy-request.dto';
import { promptCount } from './prompt-count';
import { type ProxyRequest } from './proxy-request';
import { InvalidValueError } from './request.errors';

/** Configured limits of a model, in tokens. */
export interface ModelLimits {
  contextTokens?: number | undefined;
  maxOutputTokens?: number | undefined;
}

/** Limit of a chat answer if neither the request nor MODEL_LIMITS has one. Half cuts long answers; twice doubles each hold. */
const DEFAULT_CHAT_OUTPUT_TOKENS = 4096;
/** Bound of a prompt with media for a model without a context window in MODEL_LIMITS; the window of most current models. */
const DEFAULT_CONTEXT_TOKENS = 131_072;
/** OpenAI's own default for /v1/completions. */
const DEFAULT_COMPLETION_TOKENS = 16;

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
  /** `max_tokens` to set in the upstream request; undefined if the client's request has a limit. */
  imposedMaxTokens: number | undefined;
}

/**
 * Returns the most tokens that a request is expected to use. The size of the body bounds the prompt: a token is at least
 * one byte of text, and the JSON around a message is usually longer than what chat templates put around it.
 */
export function boundsOf({ endpoint, raw, body, choices }: ProxyRequest, limits: ModelLimits): Bounds {
  const { contextTokens: context } = limits;
  if (endpoint === 'embeddings')
    return { inputTokens: raw.length, outputTokens: 0, imposedMaxTokens: undefined };
  // Upstreams differ in the field that they obey, so the highest limit counts. A limit is at least 1.
  const highestLimit = Math.max(body.max_completion_tokens ?? 0, body.max_tokens ?? 0, body.n_predict ?? 0);
  const requestedLimit = highestLimit === 0 ? undefined : highestLimit;
  if (endpoint === 'completions') {
    const bestOf = Math.max(choices, (body.best_of ?? 1) * promptCount(endpoint, body.prompt));
    const perChoice = requestedLimit ?? DEFAULT_COMPLETION_TOKENS;
    const imposedMaxTokens = requestedLimit === undefined ? perChoice : undefined;
    return { inputTokens: raw.length, outputTokens: checkedProduct(perChoice, bestOf), imposedMaxTokens };
  }
  const perChoice = requestedLimit ?? limits.maxOutputTokens ?? DEFAULT_CHAT_OUTPUT_TOKENS;
  const media = hasMedia(body.messages);
  return {
    counts: MOST_OF_A_CHAT,
    inputTokens: media ? (context ?? DEFAULT_CONTEXT_TOKENS) : Math.min(raw.length, context ?? raw.length),
    outputTokens: checkedProduct(perChoice, choices),
    imposedMaxTokens: requestedLimit === undefined ? perChoice : undefined,
  };
}

function checkedProduct(maxTokens: number, choices: number): number {
  const product = maxTokens * choices;
  if (!Number.isSafeInteger(product))
    throw new InvalidValueError({ path: 'max_tokens', message: 'is too large' });
  return product;
}
