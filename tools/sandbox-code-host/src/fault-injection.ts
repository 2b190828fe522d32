import { type ServerResponse } from 'node:http';
import { type ApiAnswer } from './api';
import { type InjectedFaults } from './injected-faults';

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
