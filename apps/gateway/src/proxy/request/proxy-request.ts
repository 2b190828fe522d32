import { type Endpoint } from '../../upstreams/endpoint';
import { MAX_CHOICES, optionalCount, promptCount } from './request-counts';
import { InvalidJsonError, InvalidValueError } from './request.errors';

/** The part of a request body that the gateway interprets; everything else is passed to the upstream unread. */
export interface ProxyRequest {
  endpoint: Endpoint;
  raw: Buffer;
  body: Record<string, unknown>;
  model: string;
  stream: boolean;
  /** Whether the client asked for the usage chunk of a stream. */
  includeUsage: boolean;
  /** Number of answers that must finish before the response is complete. */
  choices: number;
}

const MAX_MODEL_CHARS = 200;
/** Deeper than any sound schema of a tool. */
const MAX_TOOL_DEPTH = 100;

function parseObject(raw: Buffer): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(raw.toString('utf8'));
  } catch {
    throw new InvalidJsonError('The body is not valid JSON.');
  }
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw new InvalidJsonError('The body must be a JSON object.');
  }
  refuseOtherCase(body as Record<string, unknown>);
  return body as Record<string, unknown>;
}

/** Fields that determine admission and billing. */
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

/** Some servers ignore the case of field names: a field that the gateway did not read must not become a limit for them. */
function refuseOtherCase(body: Record<string, unknown>): void {
  for (const name of Object.keys(body)) {
    // Both conversions: the long s and the Kelvin sign become ASCII letters in one direction only.
    const lowerCase = name.toUpperCase().toLowerCase();
    if (name !== lowerCase && BINDING_FIELDS.has(lowerCase))
      throw new InvalidValueError(name, `must be written ${lowerCase}`);
  }
}

/** The text of tools is counted if the upstream reports no usage, by code that is recursive. */
function refuseDeepNesting(field: string, value: unknown, depth = 0): void {
  if (value === null || typeof value !== 'object') return;
  if (depth === MAX_TOOL_DEPTH)
    throw new InvalidValueError(field, `must not be nested more than ${MAX_TOOL_DEPTH} levels deep`);
  for (const inner of Object.values(value)) refuseDeepNesting(field, inner, depth + 1);
}

function optionalBoolean(body: Record<string, unknown>, field: string): boolean {
  const value = body[field] ?? false;
  if (typeof value !== 'boolean') throw new InvalidValueError(field, 'must be a boolean');
  return value;
}

/** Reads a request body. Throws InvalidJsonError or InvalidValueError if the request could not be admitted or billed. */
export function readProxyRequest(endpoint: Endpoint, raw: unknown): ProxyRequest {
  if (!Buffer.isBuffer(raw) || raw.length === 0) throw new InvalidJsonError('The body is empty.');
  const body = parseObject(raw);
  const { model } = body;
  if (typeof model !== 'string' || model === '' || model.length > MAX_MODEL_CHARS || model.includes('\0')) {
    throw new InvalidValueError('model', `must be a text of 1 to ${MAX_MODEL_CHARS} characters`);
  }
  if (endpoint === 'chat/completions' && !Array.isArray(body.messages)) {
    throw new InvalidValueError('messages', 'must be a list');
  }
  for (const field of ['tools', 'functions']) refuseDeepNesting(field, body[field]);
  const stream = endpoint !== 'embeddings' && optionalBoolean(body, 'stream');
  const streamOptions = body.stream_options ?? {};
  if (typeof streamOptions !== 'object' || Array.isArray(streamOptions)) {
    throw new InvalidValueError('stream_options', 'must be an object');
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
