import { compileValidator, fieldNamesOf, type Validator } from '@inference/dto';
import {
  ENTRIES,
  JsonFault,
  type JsonMember,
  type NameTree,
  type ReadJson,
  readJson,
  readJsonInSlices,
  UniqueNames,
} from '@inference/http';
import { type Endpoint, type NativeProtocol } from '../../upstreams/upstream';
import {
  AUDIO_SOURCES,
  ChatCompletionRequest,
  CompletionRequest,
  CONTENT_FIELDS,
  EmbeddingsRequest,
  IMAGE_SOURCES,
} from './proxy-request.dto';
import { InvalidJsonError, InvalidValueError } from './request.errors';
import { promptCount } from './prompt-count';
import { type Weighed } from '../usage/json-weight';

/** Fields that determine admission and billing. */
const BINDING_FIELDS = new Set([
  ...fieldNamesOf(ChatCompletionRequest),
  ...fieldNamesOf(CompletionRequest),
  'prompt',
  'input',
]);

/** Fields whose content is counted if the upstream reports no usage. */
const COUNTED_FIELDS = ['tools', 'functions', 'documents', 'response_format'];

const named = (...names: string[]): NameTree => Object.fromEntries(names.map((name) => [name, {}]));

const MEDIA = named(...CONTENT_FIELDS, 'detail', 'format');
const PART: NameTree = {
  ...named('type', 'text', 'refusal', 'detail', 'uuid'),
  ...Object.fromEntries([...IMAGE_SOURCES, ...AUDIO_SOURCES].map((name) => [name, MEDIA])),
  video_url: named('url'),
  file: named('file_data', 'file_id'),
};
const MESSAGE: NameTree = {
  ...named(
    'role',
    'name',
    'reasoning_content',
    'reasoning',
    'refusal',
    'tool_calls',
    'function_call',
    'audio',
  ),
  content: { [ENTRIES]: PART },
};

/** The tree of READ_FIELDS. */
export const READ_TREE: NameTree = {
  ...named(...BINDING_FIELDS, ...COUNTED_FIELDS),
  stream_options: named('include_usage'),
  messages: { [ENTRIES]: MESSAGE },
};

/**
 * All that the gateway reads of a request by its name. Servers differ in which one of two equal names they take, so each of these may be
 * given once: what the gateway admits and bills is what is served. They are listed in docs/guides/gateway.md.
 */
export const READ_FIELDS = new UniqueNames(READ_TREE);

/** A JSON object whose fields the DTO class of its endpoint has validated. */
export type ProxyRequestBody = Record<string, unknown> & Partial<ChatCompletionRequest & CompletionRequest>;

/** A request as its client has sent it, in a protocol that some upstreams speak. */
export interface NativeBody extends Weighed {
  protocol: NativeProtocol;
  /** Whether it has tools that such an upstream runs itself: their results become part of the prompt. */
  hasServerTools: boolean;
}

/** The part of a request body that the gateway interprets; everything else is passed to the upstream unread. */
export interface ProxyRequest extends Weighed {
  endpoint: Endpoint;
  /** Of a long body only the READ_FIELDS. */
  body: ProxyRequestBody;
  /** Where the values of the READ_FIELDS are in the bytes, in their order. */
  members: readonly JsonMember[];
  model: string;
  stream: boolean;
  /** Whether the client asked for the usage chunk of a stream. */
  includeUsage: boolean;
  /** Number of answers that must finish before the response is complete. */
  choices: number;
  /** What it was translated from. */
  native?: NativeBody;
}

const VALIDATORS: Record<Endpoint, Validator> = {
  'chat/completions': compileValidator(ChatCompletionRequest),
  completions: compileValidator(CompletionRequest),
  embeddings: compileValidator(EmbeddingsRequest),
};

const LONGEST_NAME = 32;
/** Chosen: a hundred times what any server knows. The gateway reads them again, at once, for each upstream. */
const MOST_STREAM_OPTIONS_BYTES = 16_384;

/** Some servers ignore the case of field names: a field that the gateway did not read must not become a limit for them. */
export function refuseOtherCase(
  names: readonly string[],
  binding: ReadonlySet<string> = BINDING_FIELDS,
): void {
  for (const name of names) {
    // No name becomes shorter in another case, and no binding one is as long.
    if (name.length > LONGEST_NAME) continue;
    // Both conversions: the long s and the Kelvin sign become ASCII letters in one direction only.
    const lowerCase = name.toUpperCase().toLowerCase();
    if (name !== lowerCase && binding.has(lowerCase))
      throw new InvalidValueError({ path: name, message: `must be written ${lowerCase}` });
  }
}

/** Reads a request body at once. Throws InvalidJsonError or InvalidValueError if the request could not be admitted or billed. */
export function readProxyRequest(endpoint: Endpoint, raw: unknown): ProxyRequest {
  const bytes = requireBody(raw);
  try {
    return requestOf(endpoint, bytes, readJson(bytes, { names: READ_FIELDS }));
  } catch (error) {
    throw refusalOf(error);
  }
}

/**
 * As `readProxyRequest`, but other requests have their turn while a long body is read.
 * @param beforeSlice see `readJsonInSlices`
 * @param onModel hears which model the request names, also if the request is refused after that
 */
export async function receiveProxyRequest(
  endpoint: Endpoint,
  raw: unknown,
  beforeSlice?: () => void,
  onModel?: (model: unknown) => void,
): Promise<ProxyRequest> {
  const bytes = requireBody(raw);
  try {
    const read = await readJsonInSlices(bytes, { names: READ_FIELDS }, beforeSlice);
    onModel?.((read.value as { model?: unknown } | null)?.model);
    return requestOf(endpoint, bytes, read);
  } catch (error) {
    throw refusalOf(error);
  }
}

function requireBody(raw: unknown): Buffer {
  if (!Buffer.isBuffer(raw) || raw.length === 0) throw new InvalidJsonError('The body is empty.');
  return raw;
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof JsonFault)) return error;
  const { path, problem } = error;
  return path === undefined
    ? new InvalidJsonError(`The body ${problem}.`)
    : new InvalidValueError({ path, message: problem });
}

function requestOf(endpoint: Endpoint, raw: Buffer, { value, members, otherNames }: ReadJson): ProxyRequest {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new InvalidJsonError('The body must be a JSON object.');
  const body = value as ProxyRequestBody;
  refuseOtherCase(otherNames);
  const [fault, ...others] = VALIDATORS[endpoint](body);
  if (fault) throw new InvalidValueError(fault, ...others);
  if (raw.length > MOST_STREAM_OPTIONS_BYTES) limitStreamOptions(members);
  const isEmbedding = endpoint === 'embeddings';
  return {
    endpoint,
    raw,
    body,
    members,
    model: body.model!,
    stream: !isEmbedding && body.stream === true,
    includeUsage: body.stream_options?.include_usage === true,
    choices: isEmbedding ? 0 : (body.n ?? 1) * promptCount(endpoint, body.prompt),
  };
}

function limitStreamOptions(members: readonly JsonMember[]): void {
  const options = members.find(({ name }) => name === 'stream_options');
  if (options && options.end - options.start > MOST_STREAM_OPTIONS_BYTES)
    throw new InvalidValueError({
      path: 'stream_options',
      message: `must have at most ${MOST_STREAM_OPTIONS_BYTES} bytes`,
    });
}
