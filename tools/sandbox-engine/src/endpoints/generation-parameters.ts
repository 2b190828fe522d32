import { ApiError } from '../http/errors';
import type { ModelRequest, TokenCounts } from './model-request';
import { isObject, type NumberRule, optionalBoolean, optionalNumber, wrongType } from '../http/validation';

/** The parameters of a text answer. */
export interface Generation {
  /** The client's limit on tokens per choice. */
  maxTokens?: number;
  choices: number;
  stream: boolean;
  /** True if a stream ends with a chunk that has the usage. All other chunks then have `"usage":null`. */
  streamsUsage: boolean;
}

/** Of a chat answer, and of a completion with a limit. */
export const MOST_TOKENS = 64;
/** OpenAI's own default for completions. */
export const DEFAULT_COMPLETION_TOKENS = 16;

const MAX_TOKENS: NumberRule = { name: 'max_tokens', integer: true, min: 1, max: Number.MAX_SAFE_INTEGER };
const MAX_COMPLETION_TOKENS: NumberRule = { ...MAX_TOKENS, name: 'max_completion_tokens' };
const CHOICES: NumberRule = { name: 'n', integer: true, min: 1, max: 128 };
const IGNORED_NUMBERS: NumberRule[] = [
  { name: 'temperature', integer: false, min: 0, max: 2 },
  { name: 'top_p', integer: false, min: 0, max: 1 },
  { name: 'presence_penalty', integer: false, min: -2, max: 2 },
  { name: 'frequency_penalty', integer: false, min: -2, max: 2 },
];

/** Reads the fields that chat and text completions share. Throws a 400 that names the first invalid one. */
export function readGeneration({ body, behaviour }: ModelRequest): Generation {
  for (const rule of IGNORED_NUMBERS) optionalNumber(body, rule);
  const stream = optionalBoolean(body, 'stream');
  return {
    maxTokens: readMaxTokens(body),
    choices: optionalNumber(body, CHOICES) ?? 1,
    stream,
    streamsUsage: readIncludeUsage(body, stream) && behaviour.usage !== 'none',
  };
}

function readMaxTokens(body: ModelRequest['body']): number | undefined {
  const older = optionalNumber(body, MAX_TOKENS);
  const newer = optionalNumber(body, MAX_COMPLETION_TOKENS);
  if (older !== undefined && newer !== undefined) {
    const message = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
    throw new ApiError(400, message, 'max_tokens', 'invalid_parameter_combination');
  }
  return newer ?? older;
}

function readIncludeUsage(body: ModelRequest['body'], stream: boolean): boolean {
  const options = body['stream_options'];
  if (options === undefined || options === null) return false;
  if (!isObject(options)) throw wrongType('stream_options', 'an object', options);
  if (stream) return optionalBoolean(options, 'include_usage');
  const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
  throw new ApiError(400, message, 'stream_options');
}

/**
 * The length of a text choice in tokens: the one set by the behaviour, otherwise 64 if the client has set a limit, and that of
 * the endpoint if not. If the client's limit is lower, it applies and the finish reason is `length`.
 */
export function textLength(
  { behaviour }: ModelRequest,
  { maxTokens }: Generation,
  withoutLimit: number,
): { tokens: number; finishReason: 'stop' | 'length' } {
  const wanted = behaviour.tokens ?? (maxTokens === undefined ? withoutLimit : MOST_TOKENS);
  return maxTokens !== undefined && maxTokens < wanted
    ? { tokens: maxTokens, finishReason: 'length' }
    : { tokens: wanted, finishReason: 'stop' };
}

/** The usage object as JSON text. Undefined with `no-usage`, zeros with `zero-usage`. */
export function usageJson(
  { behaviour }: ModelRequest,
  counts: TokenCounts,
  shape: 'detailed' | 'plain' | 'prompt-only',
): string | undefined {
  if (behaviour.usage === 'none') return undefined;
  const { prompt, completion } = behaviour.usage === 'zero' ? { prompt: 0, completion: 0 } : counts;
  const total = `"total_tokens":${prompt + completion}`;
  if (shape === 'prompt-only') return `{"prompt_tokens":${prompt},${total}}`;
  const plain = `"prompt_tokens":${prompt},"completion_tokens":${completion},${total}`;
  return shape === 'plain' ? `{${plain}}` : `{${plain},${USAGE_DETAILS}}`;
}

const USAGE_DETAILS =
  '"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},' +
  '"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}';
