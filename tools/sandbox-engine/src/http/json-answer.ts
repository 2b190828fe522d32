import type { Midway } from '../behaviour';
import { errorForStatus } from './errors';
import type { ModelRequest, TokenCounts } from '../endpoints/model-request';
import { beginJson, dropConnection, sendError, sendJson } from './respond';

/** An answer that is sent as one JSON body. */
export interface JsonAnswer {
  json: string;
  counts: TokenCounts;
  /** The number of delays before the answer is sent: one per token. */
  steps: number;
}

/** Sends the answer after its configured delay, unless the client has disconnected. */
export function sendJsonAnswer(request: ModelRequest, answer: JsonAnswer): void {
  const { behaviour, res } = request;
  const delayMs = behaviour.delayMs ?? 0;
  const firstDelayMs = behaviour.firstDelayMs ?? delayMs;
  const waitMs = firstDelayMs + delayMs * Math.max(0, answer.steps - 1);
  if (waitMs === 0) {
    deliver(request, answer);
    return;
  }
  const timer = setTimeout(() => deliver(request, answer), waitMs);
  res.once('close', () => clearTimeout(timer));
}

function deliver(request: ModelRequest, { json, counts }: JsonAnswer): void {
  const { behaviour, res, served } = request;
  if (behaviour.midway !== undefined) {
    deliverBroken(request, behaviour.midway, json);
    return;
  }
  if (res.destroyed) return;
  served.countPrompt(counts.prompt);
  served.countCompletion(counts.completion);
  sendJson(res, 200, json);
}

/** Sends half of the body, or an error instead. The client can use no token of it, so none is counted. */
function deliverBroken({ res }: ModelRequest, midway: Midway, json: string): void {
  if (midway.kind === 'error') {
    sendError(res, errorForStatus(500));
    return;
  }
  const half = json.slice(0, json.length >> 1);
  if (midway.kind === 'malformed' || midway.kind === 'end') {
    sendJson(res, 200, half);
    return;
  }
  beginJson(res, Buffer.byteLength(json));
  res.write(half);
  if (midway.kind === 'drop') dropConnection(res);
}
