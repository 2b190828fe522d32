import { randomBytes } from 'node:crypto';
import { newId } from '@inference/database';
import { SESSION_AUDIENCE, sessionIssuer } from '@inference/guards';
import {
  createTestDatabase,
  insertAccount,
  publishPrices,
  rememberSecret,
  type TestDatabase,
} from '@inference/testing';
import { type ServiceProcess } from '../../site/service-process';
import { Site } from '../../site/site';
import { OtlpReceiver, type ReceivedSpan } from './otlp-receiver';
import { RecordingUpstream } from './recording-upstream';

export const PROMPT = 'Say something about the sea and the harbour.';
export const MODEL = 'sandbox-chat';
/** Ten tokens, each after 50 ms. */
export const SLOW_MODEL = 'sandbox-chat+tokens-10+delay-50';

/** Always answered with status 500. */
export const FAILING_MODEL = 'sandbox-chat+status-500';

/** What a caller sends to be found again. */
export interface CallerTrace {
  traceId: string;
  spanId: string;
  traceparent: string;
}

export function newTrace(flags = '01'): CallerTrace {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` };
}

/** A site whose services send their spans to a receiver, with an account that may call models. */
export class TracedSite {
  private constructor(
    readonly database: TestDatabase,
    readonly site: Site,
    readonly receiver: OtlpReceiver,
    readonly upstream: RecordingUpstream,
    /** Of the requests to the receiver. */
    readonly credential: string,
    readonly environment: Record<string, string>,
  ) {}

  static async start(): Promise<TracedSite> {
    const database = await createTestDatabase();
    await publishPrices(
      database.pool,
      [MODEL, SLOW_MODEL, FAILING_MODEL].map((slug) => ({
        slug,
        unit: 'per_million_tokens',
        ratePicos: 1_000n,
      })),
    );
    const site = new Site(database);
    const engine = await site.startEngine();
    const receiver = await OtlpReceiver.start();
    const credential = randomBytes(24).toString('base64url');
    rememberSecret(credential);
    return new TracedSite(database, site, receiver, await RecordingUpstream.start(engine.url), credential, {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${credential}`,
    });
  }

  startGateway(environment: Record<string, string> = this.environment): Promise<ServiceProcess> {
    return this.site.startGateway(this.upstream, environment);
  }

  /** A new account with its API key and a session. */
  async signIn(): Promise<{ accountId: string; apiKey: string; token: string }> {
    const { accountId, apiKey } = await insertAccount(this.database.pool, { balancePicos: 10n ** 15n });
    const sid = newId('ses');
    await this.database.pool.query(
      "INSERT INTO accounts.sessions (id, account_id, expires_at) VALUES ($1, $2, now() + interval '1 day')",
      [sid, accountId],
    );
    const token = await this.site.signToken({
      sub: accountId,
      sid,
      iss: sessionIssuer('intl'),
      aud: SESSION_AUDIENCE,
      exp: Math.floor(Date.now() / 1000) + 1_800,
    });
    rememberSecret(token);
    return { accountId, apiKey, token };
  }

  async stop(): Promise<void> {
    await this.site.stop();
    await this.upstream.stop();
    await this.receiver.stop();
    await this.database.drop();
  }
}

/** The log lines of the requests with this path. */
export const requestLines = (service: ServiceProcess, path: string): Record<string, unknown>[] =>
  service.output
    .split('\n')
    .filter((line) => line.includes(`"path":"${path}"`) && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Sends JSON, if there is a body. */
export function send(service: ServiceProcess, path: string, body: unknown, headers: Record<string, string>) {
  return fetch(service.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** The body of a call of a model. */
export const chatBody = (model = MODEL, stream = false) => ({
  model,
  stream,
  max_tokens: 16,
  messages: [{ role: 'user', content: PROMPT }],
});

/** The spans of a trace by service and kind, such as `gateway server`. Fails if there are others. */
export async function spansOf(
  receiver: OtlpReceiver,
  trace: CallerTrace,
  names: string[],
): Promise<Record<string, ReceivedSpan>> {
  const spans = await receiver.trace(trace.traceId, names.length);
  const nameOf = ({ service, kind }: ReceivedSpan) => `${service} ${kind}`;
  expect(spans.map(nameOf).sort()).toEqual([...names].sort());
  return Object.fromEntries(spans.map((span) => [nameOf(span), span]));
}

/** Expects each span to be the parent of the next one, and the caller of the first. */
export function expectChain(trace: CallerTrace, spans: (ReceivedSpan | undefined)[]): void {
  expect(spans.map((span) => span?.parentSpanId)).toEqual([
    trace.spanId,
    ...spans.slice(0, -1).map((span) => span?.spanId),
  ]);
}
