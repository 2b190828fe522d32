import { ResponseChecker } from '@inference/testing';
import fc from 'fast-check';
import { Agent, request as send } from 'undici';
import { Credentials } from './credentials';
import { type Platform } from './platform';
import { type DocumentedOperation, type FuzzRequest, type KnownIds, requestsTo } from './requests';
import { Findings } from './findings';
import { needsCredential, type OpenApiDocument } from './schema';

export interface FuzzOptions {
  requests: number;
  /** The same seed sends the same requests, as far as ids that the platform makes do not differ. */
  seed: number;
  onProgress?(sent: number): void;
}

/** The services in the order in which they are tested: the console last, because its administrators change prices. */
const SERVICES: [service: string, url: string, document: string][] = [
  ['gateway', 'gateway', '/openapi.json'],
  ['agent', 'agent', '/openapi.json'],
  ['memo', 'memo', '/openapi.json'],
  ['training', 'training', '/openapi.json'],
  ['router-cost', 'routerCost', '/openapi.json'],
  ['agent-environments', 'agentEnvironments', '/openapi.json'],
  ['console', 'console', '/api/openapi.json'],
];

/** Operations that would take away what the other requests need: the role of the administrator. */
const WITHOUT_KNOWN_IDS = new Set(['changeRole']);
/** Requests to this operation end the sessions of those that are sent beside them. */
const ENDING_SESSIONS = 'logout';
const CONCURRENCY = 8;
const BATCH = 500;
/** Streams stay open while nothing happens. */
const STREAM_MILLIS = 1_000;
const TIMEOUT_MILLIS = 60_000;
const MAX_KNOWN_IDS = 50;

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: Buffer;
  /** The stream was left before its end. */
  isPart: boolean;
  millis: number;
}

/** Sends requests that are derived from the API documents, and compares each answer with them. */
export class Fuzzer {
  readonly findings = new Findings();
  private readonly checkers = new Map<string, ResponseChecker>();
  private readonly ids: KnownIds = new Map();
  private readonly credentials: Credentials;
  private readonly agent = new Agent({ connections: CONCURRENCY, headersTimeout: TIMEOUT_MILLIS });

  constructor(private readonly platform: Platform) {
    this.credentials = new Credentials(platform);
    this.learn(platform);
  }

  async run({ requests, seed, onProgress }: FuzzOptions): Promise<Findings> {
    await this.credentials.openSessions();
    const operations = await this.readOperations();
    let sent = 0;
    for (const [index, target] of operations.entries()) {
      const arbitrary = requestsTo(target);
      let left =
        Math.ceil(((index + 1) * requests) / operations.length) -
        Math.ceil((index * requests) / operations.length);
      for (let batch = 0; left > 0; batch++) {
        const size = Math.min(left, BATCH);
        // Distinct for every seed, operation and batch of a run.
        const batchSeed = seed * 1_000_003 + index * 10_007 + batch;
        await this.sendAll(fc.sample(arbitrary, { numRuns: size, seed: batchSeed | 0 }));
        left -= size;
        sent += size;
        onProgress?.(sent);
      }
    }
    await this.agent.close();
    return this.findings;
  }

  private async readOperations(): Promise<DocumentedOperation[]> {
    const operations: DocumentedOperation[] = [];
    for (const [service, url, path] of SERVICES) {
      const response = await fetch(this.platform.urls[url] + path);
      const document = (await response.json()) as OpenApiDocument;
      this.checkers.set(service, new ResponseChecker(document as never));
      const ofService: DocumentedOperation[] = [];
      for (const [pattern, methods] of Object.entries(document.paths))
        for (const [method, operation] of Object.entries(methods))
          ofService.push({ service, method: method.toUpperCase(), path: pattern, operation, document });
      // What is deleted is no longer there for the others.
      operations.push(
        ...ofService.sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE')),
      );
    }
    const names = new Set(operations.map(({ operation }) => operation.operationId));
    for (const name of WITHOUT_KNOWN_IDS)
      if (!names.has(name)) throw new Error(`No operation is called ${name}.`);
    return operations;
  }

  private async sendAll(requests: FuzzRequest[]): Promise<void> {
    const queue = requests.values();
    const work = async () => {
      for (const request of queue) await this.examine(request);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  }

  private async examine(request: FuzzRequest): Promise<void> {
    try {
      let answer = await this.send(request);
      if (answer.status === 401 && request.presented === 'right') {
        // The request before may have ended the session.
        await this.credentials.openSessions();
        answer = await this.send(request);
      }
      this.findings.count(request, answer);
      for (const fault of this.faultsOf(request, answer))
        this.findings.add(request, `${answer.status}: ${fault}`);
    } catch (error) {
      this.findings.add(request, `no answer: ${(error as Error).message}`);
    }
  }

  private async send(request: FuzzRequest): Promise<Answer> {
    const { target, headers, body } = request;
    const { service, method } = target;
    const presentation = this.credentials.presentationOf(request);
    const origin = this.platform.urls[SERVICES.find(([name]) => name === service)![1]]!;
    const path = withQuery(this.withKnownIds(request.url, request), presentation.query);
    const startedAt = performance.now();
    const response = await send(origin + path, {
      method: method as 'GET',
      headers: { ...headers, ...presentation.headers },
      ...(body !== undefined && { body: this.withKnownIds(body, request) }),
      dispatcher: this.agent,
    });
    const { isPart, bytes } = await readBody(response.body, String(response.headers['content-type'] ?? ''));
    const answer = { status: response.statusCode, headers: response.headers, body: bytes, isPart };
    if (response.statusCode < 300 && String(response.headers['content-type']).includes('json'))
      this.learn(parsed(bytes));
    return { ...answer, millis: performance.now() - startedAt };
  }

  /** Half of the requests have ids that exist, so that they reach further than to a 404. */
  private withKnownIds(text: string, { target, isPathSound, choice }: FuzzRequest): string {
    if (!isPathSound || choice % 2 === 0 || WITHOUT_KNOWN_IDS.has(target.operation.operationId)) return text;
    return text.replace(/(?<=["/])([a-z]{2,6})_[0-9A-Za-z]+/g, (id, prefix: string) => {
      const known = this.ids.get(prefix);
      return known?.[Math.floor(choice / 3) % known.length] ?? id;
    });
  }

  /** Remembers the ids in a JSON body. */
  private learn(value: unknown): void {
    if (Array.isArray(value)) value.forEach((entry) => this.learn(entry));
    else if (value !== null && typeof value === 'object')
      Object.values(value).forEach((entry) => this.learn(entry));
    else if (typeof value === 'string') {
      const prefix = /^([a-z]{2,6})_[0-9A-Za-z]{22}$/.exec(value)?.[1];
      if (prefix === undefined) return;
      const known = this.ids.get(prefix) ?? [];
      this.ids.set(prefix, known.includes(value) ? known : [...known, value].slice(-MAX_KNOWN_IDS));
    }
  }

  private faultsOf(request: FuzzRequest, answer: Answer): string[] {
    const { target, presented, isPathSound } = request;
    const { status, headers, body } = answer;
    const isDocumentedFault =
      status >= 500 && target.operation.responses[status] !== undefined && status === 501;
    const faults = status >= 500 && !isDocumentedFault ? [`status ${status}`] : [];
    if (!isPathSound) return status < 400 ? faults : [...faults, ...this.errorFaultsOf(request, answer)];
    if (needsCredential(target.operation) && presented !== 'right' && status !== 401)
      faults.push(`status ${status} instead of 401`);
    if (status === 401 && this.mustHold(request)) faults.push('status 401 for a valid credential');
    if (answer.isPart) return faults;
    const checker = this.checkers.get(target.service)!;
    const { method, path } = target;
    return [...faults, ...checker.faultsOf({ method, route: path, status, headers, body })];
  }

  /** Whether the credential of a request is valid: other requests may have ended the session again. */
  private mustHold(request: FuzzRequest): boolean {
    const isEnding = request.target.operation.operationId === ENDING_SESSIONS;
    return request.presented === 'right' && !isEnding && this.credentials.has(request);
  }

  /**
   * A hostile path may lead to another operation, or to none. The error has the shape of the service all the same: that of its
   * status, or that of a 500.
   */
  private errorFaultsOf({ target }: FuzzRequest, { status, headers, body }: Answer): string[] {
    const { method, path, service } = target;
    const checker = this.checkers.get(service)!;
    const ofStatus = checker.faultsOf({ method, route: path, status, headers, body });
    return ofStatus.length === 0 ? [] : checker.faultsOf({ method, route: path, status: 500, headers, body });
  }
}

function withQuery(path: string, query: string | undefined): string {
  if (query === undefined) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

async function readBody(body: AsyncIterable<Buffer> & { destroy(): void }, contentType: string) {
  const chunks: Buffer[] = [];
  let isPart = false;
  const timer = setTimeout(
    () => {
      isPart = true;
      body.destroy();
    },
    contentType.startsWith('text/event-stream') ? STREAM_MILLIS : TIMEOUT_MILLIS,
  );
  try {
    for await (const chunk of body) chunks.push(chunk);
  } catch (error) {
    if (!isPart) throw error;
  } finally {
    clearTimeout(timer);
  }
  return { isPart, bytes: Buffer.concat(chunks) };
}
