import { type Response } from 'express';

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

/** All kept answers of a process; the oldest go first, and a longer one is not kept. Chosen: some thousand answers. */
export const MOST_KEPT_BYTES = 64 * 1024 * 1024;

export function sendAnswer({ status, headers, body }: KeptAnswer, response: Response): void {
  response.status(status);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
}

/** Sends the answer of a call that its client may repeat. */
export function sendOnce(
  { answer, isRepeated }: { answer: KeptAnswer; isRepeated: boolean },
  response: Response,
): void {
  if (response.destroyed) return;
  if (isRepeated)
    response.setHeader('X-Request-Id', answer.requestId).setHeader('Idempotent-Replayed', 'true');
  sendAnswer(answer, response);
}
