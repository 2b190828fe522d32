import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { waitFor } from '@inference/testing';

type Value = string | number | boolean | undefined;

export interface ReceivedSpan {
  service: string;
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentSpanId: string;
  name: string;
  kind: string;
  failed: boolean;
  startMillis: number;
  endMillis: number;
  attributes: Record<string, Value>;
}

interface OtlpAttribute {
  key: string;
  value: { stringValue?: string; intValue?: number; boolValue?: boolean };
}

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: OtlpAttribute[];
  status: { code: number };
}

interface OtlpTraces {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

/** By the numbers of the protocol. */
const KINDS = ['', 'internal', 'server', 'client'];
const STATUS_ERROR = 2;
const NANOS_PER_MILLI = 1_000_000n;

const millisOf = (nanos: string) => Number(BigInt(nanos) / NANOS_PER_MILLI);

const attributesOf = (attributes: OtlpAttribute[]): Record<string, Value> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue]),
  );

function spansOf({ resourceSpans }: OtlpTraces): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(attributesOf(resource.attributes)['service.name']);
    return scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        service,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        name: span.name,
        kind: KINDS[span.kind] ?? '',
        failed: span.status.code === STATUS_ERROR,
        startMillis: millisOf(span.startTimeUnixNano),
        endMillis: millisOf(span.endTimeUnixNano),
        attributes: attributesOf(span.attributes),
      }));
  });
}

/** A receiver of traces: OTLP as JSON over HTTP. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** All bodies that have arrived. */
  readonly bodies: string[] = [];
  /** Credentials that were sent along. */
  readonly credentials = new Set<string | undefined>();
  /** Requests that were left without an answer. */
  unanswered = 0;

  private constructor(
    private readonly server: Server,
    private readonly answers: boolean,
  ) {}

  /** @param answers false for a receiver that takes requests and never answers */
  static async start(answers = true): Promise<OtlpReceiver> {
    const server = createServer();
    const receiver = new OtlpReceiver(server, answers);
    server.on('request', (request, response) => void receiver.receive(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The spans of a trace in the order of their beginning, once there are as many. */
  async trace(traceId: string, count: number): Promise<ReceivedSpan[]> {
    const found = () => this.spans.filter((span) => span.traceId === traceId);
    await waitFor(() => found().length >= count).catch(() => undefined);
    return found().sort((one, other) => one.startMillis - other.startMillis);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (!this.answers) {
      this.unanswered++;
      return;
    }
    this.credentials.add(request.headers.authorization);
    const isTraces = request.method === 'POST' && request.url === '/v1/traces';
    if (isTraces) {
      this.bodies.push(body);
      this.spans.push(...spansOf(JSON.parse(body) as OtlpTraces));
    }
    response.writeHead(isTraces ? 200 : 404, { 'Content-Type': 'application/json' }).end('{}');
  }
}
