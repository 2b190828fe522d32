import type { Midway } from './behaviour';
import { errorForStatus } from './errors';
import type { ModelRequest, TokenCounts } from './model-request';
import { beginJson, dropConnection, sendError, sendJson } from './respond';

/** An answer sent as one JSON body. */
export interface WholeAnswer {
  json: string;
  counts: TokenCounts;
  /** how many times the told delay passes before the answer is there */
  steps: number;
}

/** Sends the answer when its told delay is over, unless the client has gone by then. */
export function sendWhole(request: ModelRequest, answer: WholeAnswer): void {
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

function deliver(request: ModelRequest, { json, counts }: WholeAnswer): void {
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

/** Half of the body, or an error in its place: no token of it reaches the client, so none is counted. */
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
