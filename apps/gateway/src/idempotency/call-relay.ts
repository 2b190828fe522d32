import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { GatewayError } from '../errors/openai-error';
import { type KeptAnswer, MOST_KEPT_BYTES } from './kept-answer';
import { RELAY_CONFIG, type RelayConfig } from './relay.config';

/** What the call has failed with in the process that made it. */
class RelayedError extends GatewayError {
  constructor({ code, message, param, details, headers }: GatewayError) {
    super(code, message, param, details, headers);
  }
}

/** What comes before the body: neither, if there is no answer to send. */
interface RelayedHead {
  answer?: Omit<KeptAnswer, 'body'>;
  error?: GatewayError;
  /** Of the body. */
  bytes: number;
}

type Relayed = Pick<RelayedHead, 'answer' | 'error'> & { body: Buffer };

const NOTHING: Relayed = { body: Buffer.alloc(0) };

/** Finds the answer of a call of this process, or what it will be; undefined if this process knows none. */
type FindAnswer = (requestId: string) => Promise<KeptAnswer> | undefined;

/** Signature of who asks, and of who answers. */
const SIGNATURE = 'x-relay-signature';
const NONCE = 'x-relay-nonce';
const CONNECT_MILLIS = 2_000;
/** How often a process that works on the call says so. */
const PULSE_MILLIS = 5_000;
const PULSE = '\n';
/** Chosen: three pulses. A process that is silent for longer hangs, or is cut off. */
const SILENCE_MILLIS = 15_000;
const MOST_HEAD_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/**
 * Asks other gateways for the answers of calls that run there, and answers them, at a port of its own. Both sides prove that they know
 * the secret that all gateways share, so that no answer goes to, or comes from, whatever else listens at an address.
 */
@Injectable()
export class CallRelay implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(CallRelay.name);
  private readonly server = createServer((request, response) => void this.serve(request, response));
  /** No two processes have the same one, so the address of a process that has ended leads nowhere. */
  private readonly processId = randomBytes(12).toString('hex');
  private findAnswer: FindAnswer = () => undefined;
  private ownAddress: string | null = null;

  constructor(@Inject(RELAY_CONFIG) private readonly config: RelayConfig) {}

  /** Where this process is asked; null if it could not listen. */
  get address(): string | null {
    return this.ownAddress;
  }

  answerFrom(findAnswer: FindAnswer): void {
    this.findAnswer = findAnswer;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { publicHost, ports } = this.config;
    for (const port of ports) {
      if (!(await this.listen(port))) continue;
      const { port: taken } = this.server.address() as AddressInfo;
      const host = isIPv6(publicHost) ? `[${publicHost}]` : publicHost;
      this.ownAddress = `http://${host}:${taken}/${this.processId}`;
      return;
    }
    this.logger.warn(
      `No port of ${ports.join(', ')} is free for the relay: other gateways cannot ask this one for answers of repeated calls.`,
    );
  }

  /** The calls have ended by now: their answers are being sent. */
  async onApplicationShutdown(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    await once(this.server, 'close');
  }

  /**
   * Asks the process at an address for the answer of a call, and waits for it while the call runs. Null if it does not know the call,
   * cannot be reached, says nothing any more, or its answer is too large. Rejects with what the call has failed with.
   */
  async ask(address: string, requestId: string): Promise<KeptAnswer | null> {
    const { answer, error, body } = await this.fetch(new URL(`${address}/${requestId}`)).catch(
      (reason: unknown): Relayed => {
        this.logger.warn(`The gateway at ${address} did not answer for ${requestId}: ${String(reason)}`);
        return NOTHING;
      },
    );
    if (error) throw new RelayedError(error);
    return answer ? { ...answer, body } : null;
  }

  private async fetch(url: URL): Promise<Relayed> {
    const nonce = randomBytes(16).toString('hex');
    const [secret] = this.config.secrets;
    const headers = { [NONCE]: nonce, [SIGNATURE]: signature(secret, 'ask', url.pathname, nonce) };
    // A connection of its own: it is rarely needed, and its silence tells that the other process hangs.
    const request = openRequest(url, { headers, agent: false, timeout: SILENCE_MILLIS });
    const connecting = setTimeout(() => request.destroy(new Error('no connection in time')), CONNECT_MILLIS);
    request.once('socket', (socket) => socket.once('connect', () => clearTimeout(connecting)));
    request.once('timeout', () => request.destroy(new Error('silence')));
    // Once the response has begun, its reader learns of it.
    request.on('error', () => undefined);
    request.end();
    try {
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      const { statusCode } = response;
      if (!this.isSigned(response.headers[SIGNATURE], `answer ${statusCode}`, url.pathname, nonce))
        throw new Error(`status ${statusCode} without a signature`);
      return statusCode === 404 ? NOTHING : readRelayed(await whole(response));
    } finally {
      clearTimeout(connecting);
      request.destroy();
    }
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', headers } = request;
    const nonce = headers[NONCE];
    response.setHeader('Connection', 'close');
    const secret =
      typeof nonce === 'string' ? this.isSigned(headers[SIGNATURE], 'ask', url, nonce) : undefined;
    if (typeof nonce !== 'string' || !secret) return void response.writeHead(401).end();
    const [, processId, requestId = ''] = url.split('/');
    const answer = processId === this.processId ? this.findAnswer(requestId) : undefined;
    const status = answer ? 200 : 404;
    response.writeHead(status, { [SIGNATURE]: signature(secret, `answer ${status}`, url, nonce) });
    if (!answer) return void response.end();
    response.write(PULSE);
    const pulse = setInterval(() => response.write(PULSE), PULSE_MILLIS);
    response.once('close', () => clearInterval(pulse));
    const chunks = await answer.then(inChunks, failureInChunks);
    clearInterval(pulse);
    for (const chunk of chunks) response.write(chunk);
    response.end();
  }

  /** The secret that something was signed with. */
  private isSigned(given: unknown, ...parts: string[]): Buffer | undefined {
    if (typeof given !== 'string') return undefined;
    const offered = Buffer.from(given);
    return this.config.secrets.find((secret) => {
      const expected = Buffer.from(signature(secret, ...parts));
      return offered.length === expected.length && timingSafeEqual(offered, expected);
    });
  }

  private listen(port: number): Promise<boolean> {
    const { server } = this;
    return new Promise((resolve) => {
      const fail = () => resolve(false);
      server.once('error', fail);
      // Exclusive: each worker listens for itself, as only it has its answers.
      server.listen({ port, host: this.config.listenHost, exclusive: true }, () => {
        server.off('error', fail);
        resolve(true);
      });
    });
  }
}

const signature = (secret: Buffer, ...parts: string[]): string =>
  createHmac('sha256', secret).update(parts.join('\n')).digest('hex');

const headLine = (head: RelayedHead): string => `${JSON.stringify(head)}\n`;

function inChunks({ body, ...answer }: KeptAnswer): (string | Buffer)[] {
  if (body.length > MOST_KEPT_BYTES) return [headLine({ bytes: 0 })];
  return [headLine({ answer, bytes: body.length }), body];
}

/** A fault of the process is no answer: the process that asks may make the call. */
function failureInChunks(error: unknown): string[] {
  if (!(error instanceof GatewayError)) return [headLine({ bytes: 0 })];
  const { code, message, param, details, headers } = error;
  return [headLine({ error: { code, message, param, details, headers } as GatewayError, bytes: 0 })];
}

/** What a process has sent, without the pulses before it. */
async function whole(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    let begin = 0;
    if (length === 0) while (chunk[begin] === LINE_FEED) begin += 1;
    length += chunk.length - begin;
    if (length > MOST_KEPT_BYTES + MOST_HEAD_BYTES) throw new Error('the answer is too large');
    chunks.push(chunk.subarray(begin));
  }
  return Buffer.concat(chunks);
}

function readRelayed(bytes: Buffer): Relayed {
  const headEnd = bytes.indexOf(LINE_FEED);
  const head = JSON.parse(bytes.toString('utf8', 0, headEnd)) as RelayedHead;
  const body = bytes.subarray(headEnd + 1);
  if (body.length !== head.bytes) throw new Error('the answer is not whole');
  return { ...head, body };
}
