import { HttpException } from '@nestjs/common';
import { drained } from '@inference/http';
import { type TokenUsage } from '@inference/metering';
import { type Response } from 'express';
import { upstreamFailed } from '../errors/openai-error';
import { type Outcome } from '../settlement/usage-event';
import { type UpstreamAnswer } from '../upstreams/upstreams';
import { type RelayRequest } from './relay-request';
import { SseFrameReader, type SseFrame } from './sse-frames';
import { DONE, StreamMeter } from './stream-meter';

export interface StreamBilling {
  /** The most tokens that the upstream was asked for. */
  maxOutputTokens: number;
  /** Breaks the upstream off; aborted when the client has left. */
  abort: AbortController;
  /** A client that takes nothing for this long is taken to have left. */
  stallMillis: number;
  settle(outcome: Outcome, usage: TokenUsage | null, producedText: () => string): Promise<void>;
}

/** Names of tools and the like may come in events of their own. */
const DELTA_SLACK = 16;
/** How long an upstream may take to hang up after [DONE]. */
const HANG_UP_MILLIS = 1_000;

/** Sends the stream on as it comes, but its end only once the request is billed. */
export async function relayStream(
  answer: UpstreamAnswer,
  request: RelayRequest,
  response: Response,
  { abort, maxOutputTokens, settle, stallMillis }: StreamBilling,
): Promise<void> {
  const meter = new StreamMeter(request.includeUsage, request.choices);
  const reader = new SseFrameReader();
  const heldBack: Buffer[] = [];
  const forward = (frames: SseFrame[]): boolean => {
    const ready: Buffer[] = [];
    for (const frame of frames) {
      const bytes = meter.read(frame);
      if (bytes) (meter.isComplete ? heldBack : ready).push(bytes);
    }
    return ready.length === 0 || response.destroyed || response.write(Buffer.concat(ready));
  };

  response.status(answer.status).set({
    'Content-Type': answer.contentType,
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  });
  let brokeOff = false;
  try {
    let chunk: IteratorResult<Buffer> = { done: false, value: answer.head };
    while (!chunk.done) {
      if (!forward(reader.push(chunk.value)) && !(await drained(response, stallMillis))) abort.abort();
      if (meter.saidDone) break;
      if (meter.deltas > maxOutputTokens + DELTA_SLACK * request.choices)
        throw new Error('more than was asked for');
      chunk = await answer.rest!.next();
    }
    if (chunk.done) forward(unendedEvents(reader));
    else void readOut(answer.rest!, abort);
  } catch {
    brokeOff = true;
  }
  const clientLeft = abort.signal.aborted;
  if (brokeOff) abort.abort();

  const complete = meter.isComplete && !meter.failed;
  const outcome = complete ? 'completed' : clientLeft ? 'disconnected' : 'interrupted';
  try {
    if (complete || meter.hasProduced || (meter.usage && !brokeOff && !meter.failed)) {
      await settle(outcome, meter.usage, () => meter.producedText);
    }
    if (!complete && !meter.failed) heldBack.push(errorFrame(upstreamFailed()));
  } catch (error) {
    if (!(error instanceof HttpException)) throw error;
    heldBack.splice(0, heldBack.length, errorFrame(error));
  }
  if (!response.destroyed) response.end(Buffer.concat(heldBack));
}

/** What came without its blank line, with one; half an event would only spoil the client's next one. */
function unendedEvents(reader: SseFrameReader): SseFrame[] {
  return reader
    .flush()
    .filter(({ data }) => data === DONE || isJson(data))
    .map(({ bytes, data }) => ({ bytes: Buffer.concat([bytes, Buffer.from('\n\n')]), data }));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** After [DONE] nothing matters any more, but a connection that was read to its end can be used again. */
async function readOut(rest: AsyncIterator<Buffer>, abort: AbortController): Promise<void> {
  const timeout = setTimeout(() => abort.abort(), HANG_UP_MILLIS);
  try {
    while (!(await rest.next()).done);
  } catch {
    // The request is over either way.
  } finally {
    clearTimeout(timeout);
  }
}

function errorFrame(error: HttpException): Buffer {
  return Buffer.from(`data: ${JSON.stringify(error.getResponse())}\n\n`);
}
