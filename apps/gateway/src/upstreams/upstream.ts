import {
  ANTHROPIC_VERSION,
  type CredentialSeal,
  credentialHeaders,
  type DirectoryUpstream,
  upstreamConnector,
  type UpstreamProtocol,
} from '@inference/serving';
import { isTracing, type Span, startCallSpan } from '@inference/tracing';
import { Pool } from 'undici';
import { type Candidate, UpstreamLoad } from './choice/chooser';
import { Circuit } from './choice/circuit';
import { seedOf } from './choice/prefix-hash';
import { type Cancellation, UpstreamCall } from './upstream-call';
import { type CallCostPrices, CostPrices } from './cost-prices';
import { type UpstreamLimits } from './upstream-limits';
import { type UpstreamsConfig } from './upstreams.config';

/** Most connections to one upstream: with more calls it is full for this process. */
export const MAX_CONNECTIONS = 512;
/** As OpenTelemetry's conventions for generative AI name the operations. */
const OPERATIONS: Record<CalledEndpoint, string> = {
  'chat/completions': 'chat',
  messages: 'chat',
  responses: 'chat',
  completions: 'text_completion',
  embeddings: 'embeddings',
  rerank: 'rerank',
  'images/generations': 'generate_image',
  'audio/transcriptions': 'transcribe',
  'audio/translations': 'translate',
  'audio/speech': 'generate_speech',
  moderations: 'moderate',
};
/** How long a credential that the upstream has refused is used last. */
const REFUSED_CREDENTIAL_MILLIS = 30_000;

/** How a call of an upstream ends. */
export const CALL_OUTCOMES = [
  'answered',
  'refused',
  'rate_limited',
  'credential_refused',
  'error_status',
  'timed_out',
  'unreachable',
  'unusable',
  'broken',
  'abandoned',
] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/** One model of an upstream: what the chooser chooses, and what is counted. */
export interface UpstreamOfModel extends Candidate {
  upstream: Upstream;
  /** The published slug. */
  model: string;
  /** The upstream's own name of the model. */
  name: string;
}

/** Figures of one model of an upstream since the start of the process. */
export class CallFigures {
  readonly outcomes = Object.fromEntries(CALL_OUTCOMES.map((outcome) => [outcome, 0])) as Record<
    CallOutcome,
    number
  >;
  circuit = new Circuit();
  /** Where calls have been answered. */
  readonly endpoints = new Set<CalledEndpoint>();
  outputTokens = 0;
  firstBytes = 0;
  firstByteMillis = 0;

  /** Whether the server may not have the endpoint for this model: the model is answered elsewhere only. */
  mayLack(endpoint: CalledEndpoint): boolean {
    return this.endpoints.size > 0 && !this.endpoints.has(endpoint);
  }
}

export interface Credential {
  headers: Record<UpstreamProtocol, Record<string, string>>;
  refusedUntil: number;
}

/** One server of models and its keep-alive connections. */
export class Upstream {
  readonly id: string;
  readonly name: string;
  readonly load: UpstreamLoad;
  /** By model. */
  readonly figures: Map<string, CallFigures>;
  /** Whether it answered when it was last asked; null before that. */
  isUp: boolean | null = null;
  /** Undefined: it has none. */
  limits: UpstreamLimits | undefined;
  /** Last sign of life, on the clock of `performance.now()`. */
  answeredAt = performance.now();
  private readonly seed: number;
  private readonly pool: Pool;
  private readonly origin: string;
  private readonly basePath: string;
  private credentials: Credential[] = [];
  private sealed = '';
  private costPrices: CostPrices | null = null;

  /** @param former the same upstream at another address or with other time-outs, whose figures go on */
  constructor(
    private options: DirectoryUpstream,
    private readonly config: Pick<UpstreamsConfig, 'timeouts' | 'timeZone' | 'mayBePrivate'>,
    private readonly seal: CredentialSeal,
    former?: Upstream,
  ) {
    this.load = former?.load ?? new UpstreamLoad();
    this.load.connections = MAX_CONNECTIONS;
    this.figures = former?.figures ?? new Map<string, CallFigures>();
    for (const figures of this.figures.values()) figures.circuit = new Circuit();
    const { timeouts, mayBePrivate } = config;
    const { origin, pathname } = new URL(options.baseUrl);
    this.id = options.id;
    this.name = options.name;
    this.seed = seedOf(options.id);
    this.origin = origin;
    this.basePath = pathname.replace(/\/$/, '');
    this.pool = new Pool(origin, {
      connections: MAX_CONNECTIONS,
      connect: upstreamConnector(options.connectTimeoutMs ?? timeouts.connectMillis, mayBePrivate),
      headersTimeout: options.firstByteTimeoutMs ?? timeouts.firstByteMillis,
      bodyTimeout: options.idleTimeoutMs ?? timeouts.idleMillis,
    });
    this.readCredentials();
    this.readCostPrices();
  }

  /** Takes over changed settings. Returns false if they need new connections, and so another object. */
  update(options: DirectoryUpstream): boolean {
    const { baseUrl, connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs } = this.options;
    if (
      options.baseUrl !== baseUrl ||
      options.connectTimeoutMs !== connectTimeoutMs ||
      options.firstByteTimeoutMs !== firstByteTimeoutMs ||
      options.idleTimeoutMs !== idleTimeoutMs
    )
      return false;
    this.options = options;
    this.readCredentials();
    this.readCostPrices();
    return true;
  }

  /** How many of its credentials this process can use. */
  get credentialCount(): number {
    return this.credentials.length;
  }

  /** Whether it may be called. */
  get isActive(): boolean {
    return this.options.state === 'active';
  }

  /** Whether it is of use: a draining one may become active again. */
  get isOff(): boolean {
    return this.options.state === 'off';
  }

  /** Whether calls in this protocol can be passed on to it as they are. */
  speaks(protocol: UpstreamProtocol): boolean {
    return this.options.protocols.includes(protocol);
  }

  /** The protocol into which chat completions are translated for it; undefined if it speaks them. */
  get otherProtocol(): NativeProtocol | undefined {
    const [first] = this.options.protocols;
    return this.speaks('chat') ? undefined : (first as NativeProtocol);
  }

  /** The limits that are in force from now on. Undefined: none. */
  obey(limits: UpstreamLimits | undefined): void {
    this.limits = this.load.limits = limits;
  }

  /** How it serves the model; undefined if it does not. */
  candidateFor(model: string, everyModel: string): UpstreamOfModel | undefined {
    const { models } = this.options;
    const served =
      models.find((entry) => entry.model === model) ?? models.find((entry) => entry.model === everyModel);
    if (!served) return undefined;
    const { circuit } = this.figuresOf(model);
    const { seed, load } = this;
    const { weight, priority } = served;
    return {
      upstream: this,
      model,
      name: served.upstreamName ?? model,
      seed,
      weight,
      priority,
      load,
      circuit,
    };
  }

  figuresOf(model: string): CallFigures {
    let figures = this.figures.get(model);
    if (!figures) this.figures.set(model, (figures = new CallFigures()));
    return figures;
  }

  /** The span of a call; undefined if tracing is off. @param model the upstream's own name of the model */
  startSpan(endpoint: CalledEndpoint, model: string): Span | undefined {
    if (!isTracing()) return undefined;
    const path = this.pathOf(endpoint);
    return startCallSpan({
      method: 'POST',
      origin: this.origin,
      path,
      template: path,
      attributes: {
        'gen_ai.operation.name': OPERATIONS[endpoint],
        'gen_ai.provider.name': this.name,
        'gen_ai.request.model': model,
      },
    });
  }

  /** Sends a request. The call ends with the cancellation. @param onEnd see UpstreamCall @param ownHeaders of the request */
  post(
    credential: Credential | undefined,
    endpoint: CalledEndpoint | CountEndpoint,
    body: Buffer,
    requestId: string,
    cancellation: Cancellation,
    onEnd: (error?: Error) => void,
    span?: Span,
    ownHeaders?: Readonly<Record<string, string>>,
  ): UpstreamCall {
    const call = new UpstreamCall(span, onEnd);
    cancellation.onAbort(() => call.abort());
    const headers = {
      'content-type': 'application/json',
      // Without the header every content coding is acceptable (RFC 9110, 12.5.3).
      'accept-encoding': 'identity',
      ...ownHeaders,
      ...credential?.headers[protocolOf(endpoint)],
      'x-request-id': requestId,
      ...span?.headers,
    };
    try {
      this.pool.dispatch({ method: 'POST', path: this.pathOf(endpoint), headers, body }, call);
    } catch (error) {
      // The pool was closed by a change of the upstream.
      call.onResponseError(undefined, error as Error);
    }
    return call;
  }

  /** Notes that a credential was refused. Returns whether another one can be tried. */
  refuse(credential: Credential | undefined): boolean {
    const now = performance.now();
    if (credential) credential.refusedUntil = now + REFUSED_CREDENTIAL_MILLIS;
    return this.credentials.some(({ refusedUntil }) => refusedUntil <= now);
  }

  /** Where it lists its models, and the headers for that. */
  get listing(): { url: string; headers: Record<string, string> } {
    const protocol = this.speaks('chat') ? 'chat' : this.options.protocols[0]!;
    return {
      url: `${this.origin}${this.pathOf('models')}`,
      headers: {
        ...this.credential()?.headers[protocol],
        ...(protocol === 'messages' && { 'anthropic-version': ANTHROPIC_VERSION }),
      },
    };
  }

  /** Resolves when the running calls have ended. */
  async close(): Promise<void> {
    await this.pool.close();
  }

  /** The newest one that was not refused lately. */
  credential(): Credential | undefined {
    const { credentials } = this;
    if (credentials.length < 2) return credentials[0];
    const now = performance.now();
    return credentials.find(({ refusedUntil }) => refusedUntil <= now) ?? credentials[0];
  }

  /** What a call costs that begins now; null: it has no cost price for the model. @param model its own name of it */
  costPricesOf(model: string): CallCostPrices | null {
    return this.costPrices?.at(model, Date.now()) ?? null;
  }

  private readCostPrices(): void {
    const { costPrices: list } = this.options;
    // A list never changes.
    if (list?.id === this.costPrices?.list.id) return;
    this.costPrices = list ? new CostPrices(list, this.config.timeZone) : null;
  }

  private readCredentials(): void {
    const { id, seal, options } = this;
    const key = `${options.credentialHeader}\n${options.credentials.join('\n')}`;
    if (key === this.sealed) return;
    this.sealed = key;
    this.credentials = options.credentials.flatMap((sealed) => {
      const value = seal.open(id, sealed);
      if (value === null) return [];
      const headersFor = (protocol: UpstreamProtocol) =>
        credentialHeaders(options.credentialHeader, value, protocol);
      const headers = {
        chat: headersFor('chat'),
        responses: headersFor('responses'),
        messages: headersFor('messages'),
      };
      return { headers, refusedUntil: 0 };
    });
  }

  private pathOf(endpoint: string): string {
    return `${this.basePath}/${endpoint}`;
  }
}

/** The OpenAI endpoints for text that the gateway proxies, by their path below /v1. */
export type Endpoint = 'chat/completions' | 'completions' | 'embeddings';

/** Endpoints of models with one task, which are passed on and metered by their own units (`tasks/`). */
export type TaskEndpoint =
  | 'rerank'
  | 'images/generations'
  | 'audio/transcriptions'
  | 'audio/translations'
  | 'audio/speech'
  | 'moderations';

export type ServedEndpoint = Endpoint | TaskEndpoint;

/** Protocols whose calls are passed on to upstreams that speak them, and are otherwise translated. */
export type NativeProtocol = Exclude<UpstreamProtocol, 'chat'>;

/** What clients call and the log of calls names. */
export type CalledEndpoint = ServedEndpoint | NativeProtocol;

/** What servers are asked for that speak Messages, beside calls of models. */
type CountEndpoint = 'messages/count_tokens';

const protocolOf = (endpoint: CalledEndpoint | CountEndpoint): UpstreamProtocol => {
  if (endpoint === 'messages/count_tokens') return 'messages';
  return endpoint === 'messages' || endpoint === 'responses' ? endpoint : 'chat';
};

/** The endpoint of an upstream that serves a call for text. */
export const servedEndpointOf = (called: CalledEndpoint): Endpoint =>
  called === 'messages' || called === 'responses' ? 'chat/completions' : (called as Endpoint);
