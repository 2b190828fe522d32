import { type ServerResponse } from 'node:http';
import { z } from 'zod';
import { type ApiAnswer } from './api';

/** The injected faults. */
export const injectedFaults = z.strictObject({
  /** `owner/repository`. Default: all repositories. */
  repository: z.string().optional(),
  /** One kind of call. Default: both. */
  call: z.enum(['releases', 'attach_files']).optional(),
  /** Affects this page of a list and all later ones. */
  page: z.int().min(1).default(1),
  /** The status that replaces 200. */
  status: z.int().min(200).max(599).optional(),
  headers: z.record(z.string(), z.string()).default({}),
  /** The body that replaces the list. */
  body: z.string().optional(),
  /**
   * hang: no answer. cut: the connection ends without an answer. cut_midway: the connection ends in the middle of one.
   * truncated: a complete answer with half of the JSON. endless: a body that never ends. stalled: half of the body,
   * then nothing, on an open connection.
   */
  fault: z.enum(['hang', 'cut', 'cut_midway', 'truncated', 'endless', 'stalled']).optional(),
});

export type InjectedFaults = z.output<typeof injectedFaults>;

export const NO_FAULTS: InjectedFaults = injectedFaults.parse({});

const ENDLESS_CHUNK = Buffer.alloc(1_048_576, ' ');

/** Replaces the status, headers and body of an answer as the faults demand. */
export function withReplacedParts(faults: InjectedFaults, good: ApiAnswer): ApiAnswer {
  const isOther = faults.body !== undefined || faults.status !== undefined;
  const base = isOther && good.status === 304 ? { ...good, status: 200 } : good;
  return {
    status: faults.status ?? base.status,
    headers: { ...base.headers, ...faults.headers },
    body: faults.body ?? base.body,
  };
}

/** Sends a broken answer, or none. */
export function injectFault(
  fault: NonNullable<InjectedFaults['fault']>,
  { status, headers, body }: ApiAnswer,
  response: ServerResponse,
): void {
  const half = body.slice(0, body.length / 2);
  switch (fault) {
    case 'hang':
      return;
    case 'cut':
      response.destroy();
      return;
    case 'cut_midway':
      response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
      response.write(half, () => response.destroy());
      return;
    case 'truncated':
      response.writeHead(status, headers).end(half);
      return;
    case 'stalled':
      response.writeHead(status, headers).write(half);
      return;
    case 'endless':
      response.writeHead(status, headers);
      pourOut(response);
  }
}

function pourOut(response: ServerResponse): void {
  if (response.destroyed) return;
  response.write(ENDLESS_CHUNK, () => pourOut(response));
}
