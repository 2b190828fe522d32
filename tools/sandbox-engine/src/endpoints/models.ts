import { type Behaviour, NORMAL, withBehaviour } from '../behaviour';
import { ApiError } from '../http/errors';
import { hashText } from '../text/text';

/** What a model is for. */
export type ModelKind = 'text' | 'embedding' | 'rerank' | 'image' | 'audio' | 'speech' | 'moderation';

/** A model as named by a request. */
export interface ModelChoice {
  kind: ModelKind;
  /** The requested name with its suffixes, as JSON text. */
  nameJson: string;
  /** The initial hash, from which the words of the answer are derived. */
  seed: number;
  /** The behaviour that the suffixes of the name set. */
  behaviour: Readonly<Behaviour>;
}

const KINDS = new Map<string, ModelKind>([
  ['sandbox-chat', 'text'],
  ['sandbox-mini', 'text'],
  ['sandbox-embed', 'embedding'],
  ['sandbox-rerank', 'rerank'],
  ['sandbox-image', 'image'],
  ['sandbox-audio', 'audio'],
  ['sandbox-speech', 'speech'],
  ['sandbox-moderation', 'moderation'],
]);

const USES: Record<ModelKind, string> = {
  text: 'completions',
  embedding: 'embeddings',
  rerank: 'reranking',
  image: 'images',
  audio: 'transcriptions and translations',
  speech: 'speech',
  moderation: 'moderations',
};

const CREATED_SECONDS = 1_735_689_600;

/** The body of `GET /v1/models`. */
export const MODEL_LIST_JSON = JSON.stringify({
  object: 'list',
  data: [...KINDS.keys()].map((id) => ({
    id,
    object: 'model',
    created: CREATED_SECONDS,
    owned_by: 'sandbox',
  })),
});

// Clients choose the names, so the number of cached models is limited.
const MAX_REMEMBERED = 1_000;
const remembered = new Map<string, ModelChoice>();

/** The model `name`, such as `sandbox-chat` or `sandbox-chat+slow+no-usage`. Undefined if there is none. */
export function findModel(name: string): ModelChoice | undefined {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const model = readName(name);
  if (model === undefined) return undefined;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(name, model);
  return model;
}

function readName(name: string): ModelChoice | undefined {
  const [base = '', ...suffixes] = name.split('+');
  const kind = KINDS.get(base);
  if (kind === undefined) return undefined;
  const behaviour = readSuffixes(suffixes);
  return behaviour && { kind, nameJson: JSON.stringify(name), seed: hashText(base), behaviour };
}

function readSuffixes(suffixes: string[]): Readonly<Behaviour> | undefined {
  try {
    return suffixes.length === 0 ? NORMAL : withBehaviour(NORMAL, suffixes);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** OpenAI's error for a model that does not exist. */
export function modelNotFound(name: string): ApiError {
  const message = `The model \`${name}\` does not exist or you do not have access to it.`;
  return new ApiError(404, message, null, 'model_not_found');
}

/** Throws the error for a model that the endpoint does not support. */
export function requireKind({ kind, nameJson }: ModelChoice, wanted: ModelKind): void {
  if (kind === wanted) return;
  throw new ApiError(400, `The model ${nameJson} is for ${USES[kind]} only.`, 'model', 'model_not_supported');
}
