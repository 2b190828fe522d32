import { compileValidator, fieldNamesOf, type Validator } from '@inference/dto';
import { type Endpoint } from '../../upstreams/endpoint';
import { promptCount } from './prompt-count';
import { ChatCompletionRequest, CompletionRequest, EmbeddingsRequest } from './proxy-request.dto';
import { InvalidJsonError, InvalidValueError } from './request.errors';

/** A JSON object whose fields the DTO class of its endpoint has validated. */
export type ProxyRequestBody = Record<string, unknown> & Partial<ChatCompletionRequest & CompletionRequest>;

/** The part of a request body that the gateway interprets; everything else is passed to the upstream unread. */
export interface ProxyRequest {
  endpoint: Endpoint;
  raw: Buffer;
  body: ProxyRequestBody;
  model: string;
  stream: boolean;
  /** Whether the client asked for the usage chunk of a stream. */
  includeUsage: boolean;
  /** Number of answers that must finish before the response is complete. */
  choices: number;
}

/** Deeper than any sound schema of a tool. */
const MAX_TOOL_DEPTH = 100;

const VALIDATORS: Record<Endpoint, Validator> = {
  'chat/completions': compileValidator(ChatCompletionRequest),
  completions: compileValidator(CompletionRequest),
  embeddings: compileValidator(EmbeddingsRequest),
};

/** Fields that determine admission and billing. */
const BINDING_FIELDS = new Set([
  ...fieldNamesOf(ChatCompletionRequest),
  ...fieldNamesOf(CompletionRequest),
  'prompt',
  'input',
]);

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
  return body as Record<string, unknown>;
}

/** Some servers ignore the case of field names: a field that the gateway did not read must not become a limit for them. */
function refuseOtherCase(body: Record<string, unknown>): void {
  for (const name of Object.keys(body)) {
    // Both conversions: the long s and the Kelvin sign become ASCII letters in one direction only.
    const lowerCase = name.toUpperCase().toLowerCase();
    if (name !== lowerCase && BINDING_FIELDS.has(lowerCase))
      throw new InvalidValueError({ path: name, message: `must be written ${lowerCase}` });
  }
}

/** The text of tools is counted if the upstream reports no usage, by code that is recursive. */
function refuseDeepNesting(path: string, value: unknown, depth = 0): void {
  if (value === null || typeof value !== 'object') return;
  if (depth === MAX_TOOL_DEPTH)
    throw new InvalidValueError({
      path,
      message: `must not be nested more than ${MAX_TOOL_DEPTH} levels deep`,
    });
  for (const inner of Object.values(value)) refuseDeepNesting(path, inner, depth + 1);
}

/** Reads a request body. Throws InvalidJsonError or InvalidValueError if the request could not be admitted or billed. */
export function readProxyRequest(endpoint: Endpoint, raw: unknown): ProxyRequest {
  if (!Buffer.isBuffer(raw) || raw.length === 0) throw new InvalidJsonError('The body is empty.');
  const body: ProxyRequestBody = parseObject(raw);
  refuseOtherCase(body);
  const [fault, ...others] = VALIDATORS[endpoint](body);
  if (fault) throw new InvalidValueError(fault, ...others);
  for (const field of ['tools', 'functions']) refuseDeepNesting(field, body[field]);
  const isEmbedding = endpoint === 'embeddings';
  return {
    endpoint,
    raw,
    body,
    model: body.model!,
    stream: !isEmbedding && body.stream === true,
    includeUsage: body.stream_options?.include_usage === true,
    choices: isEmbedding ? 0 : (body.n ?? 1) * promptCount(endpoint, body.prompt),
  };
}
