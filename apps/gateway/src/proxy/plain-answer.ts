import { constants } from 'node:buffer';
import { JsonFault, readJsonInSlices, workInSlices, writeJson } from '@inference/http';
import { type MeteredUsage } from '@inference/metering';
import { fieldsOf } from '@inference/model-calls';
import { eventOf, type SseEvent } from '@inference/sse';
import { openAiErrorBody } from '../errors/openai-error';
import { parsed, readAnswer, type ReadAnswer, readVectors } from '../upstreams/answer-json';
import { type ServedEndpoint } from '../upstreams/upstream';
import { type NativeReader } from './native-call';
import { type ProxyRequest } from './request/proxy-request';
import { type AnswerTranslation } from './streaming/proxy-stream';
import { DONE } from './streaming/stream-meter';
import { asReported } from './usage/metered-usage';
import { finishReasonOf, type Produced, producedByAll } from './usage/produced';
import { readReportedUsage } from './usage/reported-usage';

const WHOLE = { hasManyValues: true, refuseInexactNumbers: true, keepsInexactNumbers: true };
/** An answer becomes longer by less as a chunk. */
const ADDED_BYTES = 1_024;
const UNLIMITED = {
  mostBytes: constants.MAX_LENGTH,
  tooLong: () => new RangeError('An answer is longer than a buffer.'),
};

/** What a chat server answers at once. */
export interface PlainAnswer {
  choices?: unknown;
}

/** The events of a stream for an answer that its server gave at once. Numbers keep their values. */
export async function answerAsEvents(body: Buffer, { includeUsage }: ProxyRequest): Promise<SseEvent> {
  const { usage, choices, ...answer } = (await wholeOf(body)) as PlainAnswer & { usage?: unknown };
  const chunk = {
    ...answer,
    object: 'chat.completion.chunk',
    choices: Array.isArray(choices) ? choices.map(asChunk) : [],
    ...(includeUsage && { usage }),
  };
  const writing = writeJson(chunk, { ...UNLIMITED, expectedBytes: body.length + ADDED_BYTES });
  const data = await workInSlices(body.length, writing, () => undefined);
  return `data: ${data.toString('latin1')}\n\ndata: ${DONE}\n\n`;
}

/** What was read before by `JSON.parse`, which takes more than the other reader. */
async function wholeOf(body: Buffer): Promise<unknown> {
  try {
    return (await readJsonInSlices(body, WHOLE)).value;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return JSON.parse(body.toString('utf8'));
  }
}

/** A choice as the only chunk of its answer. */
function asChunk(whole: unknown): unknown {
  const { message, ...choice } = fieldsOf(whole);
  if (message === null || typeof message !== 'object') return whole;
  const { tool_calls: calls } = message as { tool_calls?: unknown };
  const numbered = Array.isArray(calls) && {
    tool_calls: calls.map((call: unknown, index) => ({ index, ...fieldsOf(call) })),
  };
  return { ...choice, delta: { ...message, ...numbered } };
}

/** The event of a stream for the refusal of a server. */
function refusalAsEvent(status: number, body: Buffer): SseEvent {
  const { error: refused } = openAiErrorBody(
    status,
    `The model’s server refused the request (status ${status}).`,
  );
  const { error } = (parsed(body) ?? {}) as { error?: unknown };
  const given = typeof error === 'string' ? { message: error } : (error as object | undefined);
  return eventOf(`data: ${JSON.stringify({ error: { ...refused, ...given } })}\n\n`);
}

/** The events of an answer that came at once, where a stream has begun. @param content null: a refusal */
export async function lastEvents(
  request: ProxyRequest,
  status: number,
  { body, content }: { body: Buffer; content: (() => PlainAnswer) | null },
  translation: AnswerTranslation | undefined,
): Promise<SseEvent> {
  if (!content) {
    const refusal = refusalAsEvent(status, body);
    return translation ? translation.end(refusal) : refusal;
  }
  return translation ? eventOf(translation.plain(content()).body) : answerAsEvents(body, request);
}

/** Why a plain answer ends, and what the model has written. @param reader of an answer in the client's own protocol */
export function contentOf(
  content: PlainAnswer,
  reader: NativeReader | undefined,
): { finishReason: string | null; produced: () => Produced } {
  if (reader)
    return {
      finishReason: finishReasonOf({ finish_reason: reader.finishReasonOf(content) }),
      produced: () => ({ text: reader.textOf(content), audioTokens: 0 }),
    };
  const { choices } = content;
  const all: unknown[] = Array.isArray(choices) ? choices : [];
  return { finishReason: finishReasonOf(all[0]), produced: () => producedByAll(all) };
}

/** Some servers report a failure with status 200 and a body that holds only an error. */
function isPlainAnswer(answer: unknown): answer is PlainAnswer {
  if (answer === null || typeof answer !== 'object') return false;
  const { choices, data } = answer as Record<string, unknown>;
  return Array.isArray(choices) || Array.isArray(data);
}

/** The usage that an answer reports which holds nothing else of use. */
export const reportedIn = (body: Buffer): ReadAnswer<MeteredUsage> => readAnswer(body, usageOf);

function usageOf(answer: unknown): MeteredUsage | null {
  const reported = answer !== null && typeof answer === 'object' ? readReportedUsage(answer) : null;
  return reported && asReported(reported);
}

const plainAnswerOf = (answer: unknown): PlainAnswer | null => (isPlainAnswer(answer) ? answer : null);

/** Reads the answer of a chat server, or of one for embeddings. */
export const readPlainAnswer = (endpoint: ServedEndpoint, body: Buffer): ReadAnswer<PlainAnswer> =>
  endpoint === 'embeddings' ? readVectors(body, plainAnswerOf) : readAnswer(body, plainAnswerOf);
