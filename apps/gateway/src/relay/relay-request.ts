import { type TokenUsage } from '@inference/metering';
import { invalidRequest, OpenAiError } from '../errors/openai-error';
import { type Endpoint } from './endpoint';

export interface ModelLimits {
  context_tokens?: number | undefined;
  max_output_tokens?: number | undefined;
}

/** What the gateway reads of a request body; everything else is the upstream's business. */
export interface RelayRequest {
  endpoint: Endpoint;
  raw: Buffer;
  body: Record<string, unknown>;
  model: string;
  stream: boolean;
  /** The client asked for the usage chunk of a stream. */
  includeUsage: boolean;
  /** How many answers must finish before the response is complete. */
  choices: number;
}

const MAX_MODEL_CHARS = 200;
const MAX_CHOICES = 128;
const DEFAULT_CHAT_OUTPUT_TOKENS = 4096;
const DEFAULT_CONTEXT_TOKENS = 131_072;
/** OpenAI's own default for /v1/completions. */
const DEFAULT_COMPLETION_TOKENS = 16;

function parseObject(raw: Buffer): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(raw.toString('utf8'));
  } catch {
    throw new OpenAiError(400, 'The body is not valid JSON.', { code: 'invalid_json' });
  }
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw new OpenAiError(400, 'The body must be a JSON object.', { code: 'invalid_json' });
  }
  refuseMisspelt(body as Record<string, unknown>);
  return body as Record<string, unknown>;
}

/** What admission and billing go by. */
const BINDING_FIELDS = new Set([
  'model',
  'messages',
  'prompt',
  'input',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'n_predict',
  'n',
  'best_of',
]);

/** Some servers read field names in any case: what we did not read as a limit must not be one for them. */
function refuseMisspelt(body: Record<string, unknown>): void {
  for (const name of Object.keys(body)) {
    // Up and down again: the long s and the Kelvin sign are letters of the alphabet too, in any case.
    const lowerCase = name.toUpperCase().toLowerCase();
    if (name !== lowerCase && BINDING_FIELDS.has(lowerCase))
      throw invalidRequest(name, `must be written ${lowerCase}`);
  }
}

function optionalBoolean(body: Record<string, unknown>, field: string): boolean {
  const value = body[field] ?? false;
  if (typeof value !== 'boolean') throw invalidRequest(field, 'must be a boolean');
  return value;
}

function optionalCount(
  body: Record<string, unknown>,
  field: string,
  max = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined) return undefined;
  if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > max) {
    throw invalidRequest(
      field,
      `must be a whole number from 1${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`,
    );
  }
  return value as number;
}

/** Reads a request body; throws 400 for what would make the request impossible to admit or to bill. */
export function readRelayRequest(endpoint: Endpoint, raw: unknown): RelayRequest {
  if (!Buffer.isBuffer(raw) || raw.length === 0)
    throw new OpenAiError(400, 'The body is empty.', { code: 'invalid_json' });
  const body = parseObject(raw);
  const { model } = body;
  if (typeof model !== 'string' || model === '' || model.length > MAX_MODEL_CHARS || model.includes('\0')) {
    throw invalidRequest('model', `must be a text of 1 to ${MAX_MODEL_CHARS} characters`);
  }
  if (endpoint === 'chat/completions' && !Array.isArray(body.messages)) {
    throw invalidRequest('messages', 'must be a list');
  }
  const stream = endpoint !== 'embeddings' && optionalBoolean(body, 'stream');
  const streamOptions = body.stream_options ?? {};
  if (typeof streamOptions !== 'object' || Array.isArray(streamOptions)) {
    throw invalidRequest('stream_options', 'must be an object');
  }
  return {
    endpoint,
    raw,
    body,
    model,
    stream,
    includeUsage: optionalBoolean(streamOptions as Record<string, unknown>, 'include_usage'),
    choices:
      endpoint === 'embeddings'
        ? 0
        : (optionalCount(body, 'n', MAX_CHOICES) ?? 1) * promptCount(endpoint, body),
  };
}

/** /v1/completions answers each text of a list of prompts. */
function promptCount(endpoint: Endpoint, body: Record<string, unknown>): number {
  const { prompt } = body;
  if (endpoint !== 'completions' || !Array.isArray(prompt)) return 1;
  return Math.max(1, typeof prompt[0] === 'number' ? 1 : prompt.length);
}

function hasMedia(messages: unknown): boolean {
  return (
    Array.isArray(messages) &&
    messages.some(
      (message: { content?: unknown } | null) =>
        Array.isArray(message?.content) &&
        message.content.some(
          (part: { type?: unknown } | null) => part?.type !== 'text' && part?.type !== 'refusal',
        ),
    )
  );
}

/** llama.cpp takes `n_predict` for `max_tokens`. */
const OUTPUT_LIMITS = ['max_completion_tokens', 'max_tokens', 'n_predict'];

export interface Bounds extends TokenUsage {
  /** To be set in the request, which says nothing of it; undefined when it does. */
  imposedMaxTokens: number | undefined;
}

/**
 * The most tokens that a request is expected to use. A token is at least one byte of the text, and the JSON around
 * a message is longer than what chat templates usually put around it, so the body's size bounds the prompt.
 */
export function boundsOf({ endpoint, raw, body, choices }: RelayRequest, limits: ModelLimits): Bounds {
  const { context_tokens: context } = limits;
  if (endpoint === 'embeddings')
    return { inputTokens: raw.length, outputTokens: 0, imposedMaxTokens: undefined };
  const limitsAsked = OUTPUT_LIMITS.map((field) => optionalCount(body, field));
  // Upstreams differ in which of them they heed.
  const asked = limitsAsked.reduce((a, b) =>
    a === undefined || b === undefined ? (a ?? b) : Math.max(a, b),
  );
  if (endpoint === 'completions') {
    const bestOf = Math.max(
      choices,
      (optionalCount(body, 'best_of', MAX_CHOICES) ?? 1) * promptCount(endpoint, body),
    );
    const perChoice = asked ?? DEFAULT_COMPLETION_TOKENS;
    const imposedMaxTokens = asked === undefined ? perChoice : undefined;
    return { inputTokens: raw.length, outputTokens: checkedProduct(perChoice, bestOf), imposedMaxTokens };
  }
  const perChoice = asked ?? limits.max_output_tokens ?? DEFAULT_CHAT_OUTPUT_TOKENS;
  const media = hasMedia(body.messages);
  return {
    inputTokens: media ? (context ?? DEFAULT_CONTEXT_TOKENS) : Math.min(raw.length, context ?? raw.length),
    outputTokens: checkedProduct(perChoice, choices),
    imposedMaxTokens: asked === undefined ? perChoice : undefined,
  };
}

function checkedProduct(maxTokens: number, choices: number): number {
  const product = maxTokens * choices;
  if (!Number.isSafeInteger(product)) throw invalidRequest('max_tokens', 'is too large');
  return product;
}

function stringify(body: Record<string, unknown>): string {
  try {
    return JSON.stringify(body);
  } catch {
    throw new OpenAiError(400, 'The body is nested too deeply.', { code: 'invalid_json' });
  }
}

/**
 * The body for the upstream: the client's own bytes with the given fields set. Where they do not stand in it
 * yet they are put in front and every other byte stays as it was.
 */
export function withFields(
  { raw, body }: Pick<RelayRequest, 'raw' | 'body'>,
  fields: Record<string, unknown>,
): Buffer {
  const names = Object.keys(fields);
  if (names.length === 0) return raw;
  if (names.some((name) => Object.hasOwn(body, name))) return Buffer.from(stringify({ ...body, ...fields }));
  const start = raw.indexOf('{') + 1;
  const inserted = JSON.stringify(fields).slice(1, -1);
  return Buffer.concat([raw.subarray(0, start), Buffer.from(`${inserted},`), raw.subarray(start)]);
}
