import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { list } from './worst-values';

/** How a body is sent: by many clients at the same time, or by clients that leave as soon as they have sent it. */
export type Crowd = 'together' | 'leaving';

interface CrowdedBody {
  crowd: Crowd;
  headers: Record<string, string>;
  body: Buffer;
}

/** Clients at once. A service refuses some with 429 if their bodies are more than the share of one account. */
export const CLIENTS = 40;
/** Several slices of a reading; 333 bytes as gzip. */
const BODY_BYTES = 300_000;
/** Nearly as many values as a body may have. */
const MOST_VALUES_BYTES = 1_900_000;

/** Bodies whose cost shows when many clients send them, by the most bytes that the operation reads. */
export const WORST_CROWDS: [kind: string, crowdOf: (bytes: number) => CrowdedBody][] = [
  [
    `${CLIENTS} compressed bodies at once`,
    (bytes) => ({
      crowd: 'together',
      headers: { 'Content-Encoding': 'gzip' },
      body: gzipSync(list(Math.min(bytes, BODY_BYTES), '{}')),
    }),
  ],
  [
    `${CLIENTS} clients that leave when their body is sent`,
    (bytes) => ({
      crowd: 'leaving',
      headers: {},
      body: Buffer.from(list(Math.min(bytes, MOST_VALUES_BYTES), '0')),
    }),
  ],
];

export interface OutgoingRequest {
  method: string;
  headers: Record<string, string>;
  body: Buffer | string;
}

/** Closes the connection as soon as the body has been handed to it. */
export async function sendAndLeave(url: string, { method, headers, body }: OutgoingRequest): Promise<void> {
  const length = String(Buffer.byteLength(body));
  const sent = request(url, { method, headers: { ...headers, 'Content-Length': length }, agent: false });
  // The service may refuse the body before it is sent.
  sent.on('error', () => undefined).on('response', (response) => response.resume());
  const closed = new Promise((resolve) => sent.once('close', resolve));
  sent.end(body, () => sent.destroy());
  await closed;
}
