import { JsonFault, readJsonInSlices, UniqueNames } from '@inference/http';

/** What an answer holds, read at once or in slices; null if it is not usable. */
export type ReadAnswer<Content> = Content | null | Promise<Content | null>;

/** A longer answer is read in slices, without what is not used. Measured: the worst one of this length that a server gives takes 30 ms of processor time. */
const AT_ONCE_BYTES = 4 * 2 ** 20;
/** What fills long answers without being read here. */
const UNREAD = new UniqueNames({ logprobs: {}, embedding: {}, b64_json: {} });
const OPEN_LIST = '[';
const CLOSE_LIST = ']';

/** Undefined for what is not JSON, and for what takes too long to read at once. */
export function parsed(body: Buffer): unknown {
  if (body.length > AT_ONCE_BYTES) return undefined;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Reads an answer; a long one without its log probabilities, vectors and images.
 * @param use gets undefined for what is not JSON
 */
export function readAnswer<Content>(
  body: Buffer,
  use: (answer: unknown) => Content | null,
): ReadAnswer<Content> {
  return body.length <= AT_ONCE_BYTES ? use(parsed(body)) : parsedInSlices(body).then(use);
}

/**
 * As `readAnswer`, for an answer that is one long list of vectors beside its usage: a batch that OpenAI admits has six million numbers, which
 * nobody here reads. Without them if the answer is long.
 */
export function readVectors<Content>(
  body: Buffer,
  use: (answer: unknown) => Content | null,
): ReadAnswer<Content> {
  if (body.length > AT_ONCE_BYTES) {
    const [from, to] = [body.indexOf(OPEN_LIST), body.lastIndexOf(CLOSE_LIST)];
    const isOneList = from !== -1 && from + body.length - to <= AT_ONCE_BYTES;
    const rest = isOneList && parsed(Buffer.concat([body.subarray(0, from + 1), body.subarray(to)]));
    // Something else may be the list.
    if (rest && typeof rest === 'object' && 'data' in rest && 'usage' in rest) return use(rest);
  }
  return readAnswer(body, use);
}

async function parsedInSlices(body: Buffer): Promise<unknown> {
  try {
    return (await readJsonInSlices(body, { hasManyValues: true, leftOut: UNREAD })).value;
  } catch (error) {
    if (error instanceof JsonFault) return undefined;
    throw error;
  }
}
