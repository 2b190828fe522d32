import { type Behaviour, NORMAL, withBehaviour } from './behaviour';
import { ApiError } from './errors';
import { hashText } from './text';

/** A model as a request named it. */
export interface ModelChoice {
  kind: 'text' | 'embedding';
  /** the requested name, suffixes included, as JSON text */
  nameJson: string;
  /** start of the hash that the answer's words are drawn from */
  seed: number;
  /** what the name's suffixes tell */
  behaviour: Readonly<Behaviour>;
}

const KINDS = new Map<string, ModelChoice['kind']>([
  ['sandbox-chat', 'text'],
  ['sandbox-mini', 'text'],
  ['sandbox-embed', 'embedding'],
]);

const CREATED_SECONDS = 1_735_689_600;

/** The answer to `GET /v1/models`. */
export const MODEL_LIST_JSON = JSON.stringify({
  object: 'list',
  data: [...KINDS.keys()].map((id) => ({
    id,
    object: 'model',
    created: CREATED_SECONDS,
    owned_by: 'sandbox',
  })),
});

// Names come from clients, so the number of remembered ones is bounded.
const MAX_REMEMBERED = 1_000;
const remembered = new Map<string, ModelChoice>();

/** The model called `name`, e.g. `sandbox-chat` or `sandbox-chat+slow+no-usage`; undefined when there is none. */
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

/** OpenAI's refusal of a model that does not exist. */
export function modelNotFound(name: string): ApiError {
  const message = `The model \`${name}\` does not exist or you do not have access to it.`;
  return new ApiError(404, message, null, 'model_not_found');
}

/** The refusal of a model at an endpoint that is not for its kind. */
export function modelKindRefused({ kind, nameJson }: ModelChoice): ApiError {
  const uses = kind === 'text' ? 'completions, not embeddings' : 'embeddings, not completions';
  return new ApiError(400, `The model ${nameJson} is for ${uses}.`, 'model', 'model_not_supported');
}
