import { setImmediate as nextTurn } from 'node:timers/promises';
import { allowedMillis, drained, endStalled } from '@inference/http';
import { type Response } from 'express';
import { type AnswerMemory, UNCOUNTED_BYTES } from '../upstreams/answer-memory';
import { KeptBytes } from './kept-bytes';

/** An answer as it is sent, also to a client that asks for it again. */
export interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** Names the call in the usage of the account. */
  requestId: string;
  /** Whether the call was charged, so that a retry must not make a new one. */
  isCharged: boolean;
}

/** All kept answers of a process; a longer one is not kept. Chosen: some thousand answers. */
export const MOST_KEPT_BYTES = 64 * 1024 * 1024;

/** Of a long answer, on average after a pause. Chosen: 2 Mbit/s; at half, its memory is held for twice as long by a client that reads as slowly as it may. */
const LEAST_SENDING = { graceMillis: 30_000, leastBytesPerSecond: 262_144, totalMillis: Infinity };
/** What a client that does not read leaves in memory of an answer that does not count any more. */
const PIECE_BYTES = 262_144;
/** Shorter rests fit into the buffers of a connection. */
const STALL_BYTES = 65_536;

/** Bytes of short answers, and of the ends of long ones, that a process has for clients that read slowly or not at all. Chosen: as for kept answers. */
const MOST_UNREAD_BYTES = 64 * 1024 * 1024;
const unread = new KeptBytes<Response>(MOST_UNREAD_BYTES);

/**
 * Resolves when the answer is on its way.
 * @param stallMillis a client that reads nothing for so long is disconnected
 * @param accountId if too much of short answers is unread, the oldest of the account with most of it goes
 */
export async function sendAnswer(
  { status, headers, body }: Pick<KeptAnswer, 'status' | 'headers' | 'body'>,
  response: Response,
  stallMillis: number,
  accountId: string,
): Promise<void> {
  response.status(status);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (body.length <= UNCOUNTED_BYTES) {
    response.end(body);
    return watchRest(response, stallMillis, accountId);
  }
  response.setHeader('Content-Length', body.length);
  const startedAt = performance.now();
  let at = 0;
  for (; at + PIECE_BYTES < body.length; at += PIECE_BYTES) {
    response.write(body.subarray(at, at + PIECE_BYTES));
    if (!(await drained(response, stallMillis))) return;
    if (performance.now() - startedAt > allowedMillis(at, LEAST_SENDING)) return void response.destroy();
  }
  // A copy: a client that does not read the last piece does not hold the others.
  response.end(Buffer.from(body.subarray(at)));
  watchRest(response, stallMillis, accountId);
}

function watchRest(response: Response, stallMillis: number, accountId: string): void {
  const { writableLength } = response;
  if (writableLength <= STALL_BYTES) return;
  endStalled(response, stallMillis);
  response.once('close', () => unread.remove(accountId, response));
  for (const oldest of unread.add(accountId, response, writableLength)) oldest.destroy();
}

/** Sends the answer of a call that its client may repeat. Throws 429 if the account has too many long ones. @param memory counts it again if it is sent again */
export async function sendOnce(
  { answer, isRepeated }: { answer: KeptAnswer; isRepeated: boolean },
  response: Response,
  stallMillis: number,
  memory: AnswerMemory,
  accountId: string,
): Promise<void> {
  // The call itself lets its answer go first if its client has left.
  if (isRepeated) await nextTurn();
  if (response.destroyed) return;
  const letGo = isRepeated ? memory.hold(accountId, answer.body) : undefined;
  try {
    if (isRepeated)
      response.setHeader('X-Request-Id', answer.requestId).setHeader('Idempotent-Replayed', 'true');
    await sendAnswer(answer, response, stallMillis, accountId);
  } finally {
    letGo?.();
  }
}
