import { withoutByteOrderMark } from '@inference/http';
import { type Span } from '@inference/tracing';
import { Injectable, Logger } from '@nestjs/common';
import { errors } from 'undici';
import { GatewayError, openAiErrorBody } from '../errors/openai-error';
import { type AccountUse, type CallingAccount } from './choice/account-shares';
import { choose, isCandidate, lastResort, type NoCandidate } from './choice/chooser';
import { type CallEnd } from './choice/circuit';
import { RetryBudget } from './choice/retry-budget';
import { parsed } from './answer-json';
import { AnswerMemory, type HeldAnswer, UNCOUNTED_BYTES } from './answer-memory';
import { decodedBody, inLowerCase, isEventStream, retryAfterMillis } from './answer-headers';
import { type CallCosting, type CallCostPrices, type UpstreamCost, upstreamCost } from './cost-prices';
import { type ServingCatalogue, ServingDirectory } from './directory.service';
import { type CalledEndpoint, type CallOutcome, type Credential, type UpstreamOfModel } from './upstream';
import { type UpstreamCall } from './upstream-call';
import { UpstreamTicket } from './upstream-limits';
import { UnchargedCosts } from './uncharged-costs.service';
import { UpstreamMetrics } from './upstream-metrics';
import { translatedStream, type UpstreamRequest, type Way, wayTo } from './upstream-request';
import {
  CallCancelledError,
  ProtocolNotServedError,
  RequestAbandonedError,
  UnusableAnswerError,
  UpstreamBusyError,
  UpstreamFailedError,
  UpstreamTimedOutError,
} from './upstream.errors';

/** The response of an upstream, of which at least the first bytes have arrived. */
export interface UpstreamAnswer<Content> {
  upstream: string;
  /** The slug of the model that was asked: the first of the request or a later one. */
  model: string;
  /** Whether it is in the protocol of the client, to whom it can be passed on. */
  isNative: boolean;
  /** What was left out of the request in the words of the upstream. */
  ignored: readonly string[];
  /** For what the call costs the operator. */
  costing: CallCosting;
  status: number;
  contentType: string;
  /** Whether it refuses a credential, and the upstream has another one. */
  hasOtherCredential: boolean;
  /** Headers that say when to try again. */
  retryHeaders: Record<string, string>;
  /** The whole body of a plain answer; the first chunk of a stream. */
  head: Buffer;
  /** What `read` has returned for a plain answer below 300; otherwise null. */
  content: Content | null;
  /** The remaining chunks of a stream; null for a plain answer. */
  rest: AsyncIterator<Buffer> | null;
  /** Of an answer below 300; whoever takes it releases the memory when it was sent. */
  memory?: HeldAnswer;
  /** Of the call, for what its tokens were; whoever takes the answer ends it. Undefined if tracing is off. */
  span: Span | undefined;
  /** Counts the metered tokens towards the limits of the upstream. */
  use(inputTokens: number, outputTokens: number): void;
}

/** In place of a refusal that repeats a long request. */
const NO_BYTES = Buffer.alloc(0);
/** The attempt to get an answer, and one more if it fails. */
const MOST_ATTEMPTS = 2;
/** An upstream that asks for less, say `Retry-After: 0`, fails: otherwise it would be called for ever. */
const SHORTEST_PAUSE_MILLIS = 1_000;
/** Client errors that another upstream may not answer; any other 4xx is the fault of the request. */
const RETRIED_CLIENT_ERRORS = new Set([401, 402, 403, 404, 408, 429]);
/** The upstream has no such endpoint, or no such model. */
const MISSING_ENDPOINT = new Set([404, 405, 501]);
/** The upstream refused the gateway's credential; the customer's own credential is valid. */
const CREDENTIAL_ERRORS = new Set([401, 403]);
/** The operator's account at the upstream has too little money for this call, perhaps not for others; the customer's own wallet has enough. */
const LACKS_MONEY = 402;

function isTimeout(error: unknown): boolean {
  return (
    error instanceof errors.ConnectTimeoutError ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError
  );
}

/** The upstreams of each model that understand the request. Throws ProtocolNotServedError if there are upstreams, but none of these. */
function callableGroups(
  catalogue: ServingCatalogue,
  { models, translate }: UpstreamRequest<unknown>,
): (readonly UpstreamOfModel[])[] {
  const groups = models.map((model) => catalogue.candidatesOf(model));
  if (translate) return groups;
  const callable = models.map((model) => catalogue.chatServersOf(model));
  if (callable.every((group) => group.length === 0) && groups.some((group) => group.length > 0))
    throw new ProtocolNotServedError(models[0]);
  return callable;
}

/** After which an upstream has used no tokens. */
const WITHOUT_USE = new Set<CallOutcome>([
  'refused',
  'rate_limited',
  'credential_refused',
  'error_status',
  'unreachable',
]);

/** A running call of an upstream, which is told once how it has ended. */
class Attempt {
  readonly startedAt = performance.now();
  readonly costPrices: CallCostPrices | null;
  /** Of the account; undefined if the upstream has no limits. */
  private readonly use: AccountUse | undefined;
  private readonly opening: number;
  private isJudged = false;
  private isCounted = false;

  constructor(
    readonly target: UpstreamOfModel,
    readonly credential: Credential | undefined,
    account: CallingAccount,
    private readonly ticket: UpstreamTicket | undefined,
  ) {
    this.costPrices = target.upstream.costPricesOf(target.name);
    this.opening = target.circuit.begin(this.startedAt);
    this.use = target.load.begin(this.startedAt, account);
    if (ticket) target.load.use(this.startedAt, ticket.tokens, this.use);
  }

  /** Notes how the call has ended, or that it is answered. Has no effect after the first time. */
  judge(outcome: CallOutcome, end: CallEnd): void {
    if (this.isJudged) return;
    this.isJudged = true;
    const { upstream, model, circuit } = this.target;
    const now = performance.now();
    circuit.end(now, end, this.opening);
    upstream.figuresOf(model).outcomes[outcome]++;
    if (WITHOUT_USE.has(outcome)) this.count(0);
    if (end === 'answered') {
      upstream.isUp = true;
      upstream.answeredAt = now;
    } else if (outcome === 'unreachable') upstream.isUp = false;
  }

  /** What the call has used, in place of what was counted when it began. Has no effect after the first time. */
  count(tokens: number): void {
    if (this.isCounted) return;
    this.isCounted = true;
    this.target.load.use(performance.now(), tokens - (this.ticket?.tokens ?? 0), this.use);
    this.ticket?.used(tokens);
  }

  /** The connection is done with the call. */
  close(error: Error | undefined): void {
    const { upstream, model, circuit, load } = this.target;
    load.end(performance.now(), this.use);
    if (this.ticket) this.ticket.release();
    else load.limits?.endedUncounted();
    // Whoever reads a whole response judges it.
    if (!error) return;
    if (error instanceof CallCancelledError) return this.judge('abandoned', 'abandoned');
    if (!this.isJudged) return this.judge(isTimeout(error) ? 'timed_out' : 'unreachable', 'lost');
    // The answer broke off in the middle.
    upstream.figuresOf(model).outcomes.broken++;
    circuit.broke(performance.now(), this.startedAt, this.opening);
  }
}

/** Asks an upstream of a model, and another one if it fails. Nothing has been sent to the client yet. */
@Injectable()
export class UpstreamsService {
  private readonly logger = new Logger(UpstreamsService.name);
  private readonly budget = new RetryBudget();

  constructor(
    private readonly directory: ServingDirectory,
    private readonly metrics: UpstreamMetrics,
    private readonly memory: AnswerMemory,
    private readonly unchargedCosts: UnchargedCosts,
  ) {}

  /**
   * Returns the first answer that is no failure, or else the last one that asks to try again or refuses the request. Throws
   * UpstreamFailedError if there is none, UpstreamTimedOutError if the last upstream exceeded a timeout, UpstreamBusyError if those that
   * have not failed may not be called now. When the request is cancelled: RequestAbandonedError if an upstream has it, otherwise any error.
   */
  async ask<Content>(request: UpstreamRequest<Content>): Promise<UpstreamAnswer<Content>> {
    const failed: UpstreamCost[] = [];
    const { requestId, account, models, cancellation } = request;
    const leaveUncharged = () => this.unchargedCosts.record(requestId, account.id, models[0]!, failed);
    try {
      const answer = await this.firstAnswer(request, failed);
      if (!answer.content && !answer.rest) leaveUncharged();
      return answer;
    } catch (error) {
      // Whoever leaves is charged, and whoever is shut out is not.
      if (!(error instanceof RequestAbandonedError) || cancellation.reason) leaveUncharged();
      throw error;
    }
  }

  /** @param failed gets what attempts cost that have failed */
  private async firstAnswer<Content>(
    request: UpstreamRequest<Content>,
    failed: UpstreamCost[],
  ): Promise<UpstreamAnswer<Content>> {
    const catalogue = await this.directory.current();
    const { account } = request;
    const groups = callableGroups(catalogue, request);
    const tried = new Set<UpstreamOfModel>();
    let unfit: GatewayError | undefined;
    let refusal: UpstreamAnswer<Content> | undefined;
    let timedOut = false;
    let last: string | undefined;
    let mayRepeat = false;
    /** How long upstreams refuse that were chosen and had no room. */
    let fullMillis = Infinity;
    this.budget.countCall(performance.now());
    for (let attempts = 0; attempts < MOST_ATTEMPTS;) {
      const now = performance.now();
      const choice = pick(groups, request.prefix, now, tried, account);
      if (!isCandidate(choice)) {
        const target = withFull(choice, fullMillis);
        // Upstreams that were not asked have room again sooner than those that failed are mended.
        if (attempts > 0 && target.reason === 'none') break;
        if (refusal) target.retryMillis = Math.min(target.retryMillis, pauseOf(refusal));
        throw (target.reason === 'none' && unfit) || this.refusal(target, groups, now, account);
      }
      const target = choice;
      // Another model is no answer to what is wrong in the request.
      if (unfit && target.model !== request.models[0]) throw unfit;
      if (attempts > 0 && !mayRepeat && !(mayRepeat = this.budget.take(now))) break;
      tried.add(target);
      const taking = target.upstream.limits?.take(target.model, request.size);
      const taken = taking instanceof Promise ? await taking : taking;
      if (taken && !(taken instanceof UpstreamTicket)) {
        fullMillis = Math.min(fullMillis, taken.waitMillis);
        continue;
      }
      let way: Way<Content> | GatewayError;
      try {
        const found = wayTo(target, request);
        way = found instanceof Promise ? await found : found;
      } catch (error) {
        taken?.cancel();
        throw error;
      }
      if (way instanceof GatewayError) {
        taken?.cancel();
        unfit = way;
        continue;
      }
      attempts++;
      last = target.upstream.name;
      timedOut = false;
      try {
        const answer = await this.askOne(target, request, taken, way, failed);
        if (answer.status < 400 || (answer.status < 500 && !RETRIED_CLIENT_ERRORS.has(answer.status))) {
          if (answer.model !== request.models[0])
            this.metrics.countFallback(request.models[0]!, answer.model);
          return answer;
        }
        this.logger.warn(`Upstream ${last} answered ${answer.status} for ${target.model}.`);
        if (CREDENTIAL_ERRORS.has(answer.status)) {
          // Another credential of the same upstream may be accepted.
          if (answer.hasOtherCredential) tried.delete(target);
        } else if (
          answer.status !== LACKS_MONEY &&
          (answer.status < 500 || Object.keys(answer.retryHeaders).length > 0)
        )
          refusal = answer;
      } catch (error) {
        if (request.cancellation.aborted || error instanceof GatewayError) throw error;
        this.logger.warn(`Upstream ${last} failed for ${target.model}: ${(error as Error).message}`);
        timedOut = isTimeout(error);
      }
    }
    if (refusal) return withErrorBody(refusal);
    throw timedOut ? new UpstreamTimedOutError(last) : new UpstreamFailedError(last);
  }

  /** No upstream may be called now. */
  private refusal(
    { reason, retryMillis }: NoCandidate,
    groups: readonly (readonly UpstreamOfModel[])[],
    now: number,
    account: CallingAccount,
  ): GatewayError {
    if (reason === 'none') return new UpstreamFailedError();
    this.metrics.countRefusal(reason);
    if (reason === 'full')
      for (const load of new Set(groups.flat().map((candidate) => candidate.load)))
        load.refused(now, account);
    return new UpstreamBusyError(retryMillis, reason === 'share');
  }

  private async askOne<Content>(
    target: UpstreamOfModel,
    request: UpstreamRequest<Content>,
    ticket: UpstreamTicket | undefined,
    way: Way<Content>,
    failed: UpstreamCost[],
  ): Promise<UpstreamAnswer<Content>> {
    const span = target.upstream.startSpan(way.endpoint, target.name);
    try {
      const answer = await this.exchange(target, request, ticket, way, failed, span);
      if (answer.status >= 300) span?.end();
      return answer;
    } catch (error) {
      span?.fail(error);
      span?.end();
      throw error;
    }
  }

  private async exchange<Content>(
    target: UpstreamOfModel,
    request: UpstreamRequest<Content>,
    ticket: UpstreamTicket | undefined,
    way: Way<Content>,
    failed: UpstreamCost[],
    span: Span | undefined,
  ): Promise<UpstreamAnswer<Content>> {
    const { requestId, cancellation } = request;
    const { endpoint, headers, body } = way;
    const { upstream, model } = target;
    const credential = upstream.credential();
    const attempt = new Attempt(target, credential, request.account, ticket);
    const onEnd = (error?: Error) => attempt.close(error);
    const call = upstream.post(credential, endpoint, body, requestId, cancellation, onEnd, span, headers);
    try {
      return await this.receive(call, attempt, request, way, failed, span);
    } catch (error) {
      // What ended the connection has judged the call already.
      if (error instanceof CallCancelledError) attempt.judge('abandoned', 'abandoned');
      else attempt.judge('unusable', 'failed');
      // What is left of an unusable answer is not waited for.
      call.abort();
      const { costPrices: prices } = attempt;
      if (error instanceof UnusableAnswerError && error.usage && prices) {
        const cost = upstreamCost(upstream.name, prices, error.usage, false);
        if (cost) failed.push(cost);
      }
      const isAbandoned = error instanceof CallCancelledError && call.wasSent && !call.wasRefused;
      if (!isAbandoned) throw error;
      throw new RequestAbandonedError(upstream.name, model, way.isNative, { prices, failed });
    }
  }

  private async receive<Content>(
    call: UpstreamCall,
    attempt: Attempt,
    request: UpstreamRequest<Content>,
    way: Way<Content>,
    failed: readonly UpstreamCost[],
    span: Span | undefined,
  ): Promise<UpstreamAnswer<Content>> {
    const { status, headers } = await call.head;
    span?.answered(status);
    const contentType = inLowerCase(String(headers['content-type'] ?? 'application/json'));
    const { target } = attempt;
    const { upstream, model, circuit } = target;
    const answer: UpstreamAnswer<Content> = {
      upstream: upstream.name,
      model,
      isNative: way.isNative,
      ignored: way.ignored,
      costing: { prices: attempt.costPrices, failed },
      status,
      contentType,
      hasOtherCredential: CREDENTIAL_ERRORS.has(status) && upstream.refuse(attempt.credential),
      retryHeaders: retryHeadersOf(headers),
      span,
      use: (inputTokens: number, outputTokens: number) => {
        attempt.count(inputTokens + outputTokens);
        upstream.limits?.learn(model, outputTokens, request.size.answers);
        upstream.figuresOf(model).outputTokens += outputTokens;
      },
      head: NO_BYTES,
      content: null,
      rest: null,
    };
    if (status >= 300 && status < 400) {
      attempt.judge('unusable', 'failed');
      call.abort();
      throw new Error(`an unexpected redirect (${status})`);
    }
    const memory = this.memory.begin(request.account.id);
    call.memory = memory;
    if (status < 300) answer.memory = memory;
    const body = await decodedBody(call, headers['content-encoding']);
    if (status < 300 && (request.isStream ?? isEventStream)(contentType)) {
      const events = way.answer ? translatedStream(body, way.answer) : body;
      const first = await events.next();
      if (first.done) throw new Error('an empty stream');
      this.noteAnswer(attempt, way.endpoint);
      return Object.assign(answer, { head: first.value, rest: events });
    }
    if (status >= 300) {
      const asksForPause = status === 429 || status === 503;
      const pauseMillis = (asksForPause && retryAfterMillis(headers, Date.now())) || 0;
      const hasPause = pauseMillis >= SHORTEST_PAUSE_MILLIS;
      if (hasPause) circuit.pause(performance.now(), pauseMillis);
      const isExcused =
        answer.hasOtherCredential ||
        status === LACKS_MONEY ||
        (MISSING_ENDPOINT.has(status) && upstream.figuresOf(model).mayLack(way.endpoint));
      attempt.judge(...judgementOf(status, hasPause, isExcused));
    }
    let isUsable = false;
    try {
      const received = withoutByteOrderMark(await body.bytes(memory));
      if (status >= 300 && received.length > UNCOUNTED_BYTES) return withErrorBody(answer);
      const head = way.answer ? await way.answer.plain(status, received) : received;
      if (status >= 300) return Object.assign(answer, { head });
      const content = await way.read(head);
      if (content === null) throw new UnusableAnswerError((await request.usageOf?.(head)) ?? null);
      this.noteAnswer(attempt, way.endpoint);
      isUsable = true;
      return Object.assign(answer, { head, content });
    } finally {
      if (!isUsable) memory.release();
    }
  }

  private noteAnswer(attempt: Attempt, endpoint: CalledEndpoint): void {
    attempt.judge('answered', 'answered');
    const { target, startedAt } = attempt;
    const millis = performance.now() - startedAt;
    const figures = target.upstream.figuresOf(target.model);
    figures.endpoints.add(endpoint);
    figures.firstBytes++;
    figures.firstByteMillis += millis;
    this.metrics.observeFirstByte(target, millis);
  }
}

/** The upstream of the first model that has one, or one that is tried as a last resort; otherwise why there is none. */
function pick(
  groups: readonly (readonly UpstreamOfModel[])[],
  prefix: number,
  now: number,
  tried: ReadonlySet<UpstreamOfModel>,
  account: CallingAccount,
): UpstreamOfModel | NoCandidate {
  let soonest: NoCandidate = { reason: 'none', retryMillis: Infinity };
  for (const candidates of groups) {
    const choice = choose(candidates, prefix, now, tried, account);
    if (isCandidate(choice)) return choice;
    if (choice.reason !== 'none' && choice.retryMillis < soonest.retryMillis) soonest = choice;
  }
  for (const candidates of groups) {
    const candidate = lastResort(candidates, now, tried, account);
    if (candidate) return candidate;
  }
  return soonest;
}

/** With the wait of upstreams that were chosen and then had no room. */
const withFull = (choice: NoCandidate, fullMillis: number): NoCandidate =>
  fullMillis === Infinity
    ? choice
    : { reason: 'full', retryMillis: Math.min(choice.retryMillis, fullMillis) };

/**
 * How an answer that is none counts.
 * @param hasPause whether the upstream has said when it may be called again
 * @param isExcused whether it says nothing of other calls
 */
function judgementOf(status: number, hasPause: boolean, isExcused: boolean): [CallOutcome, CallEnd] {
  if (hasPause) return ['rate_limited', 'abandoned'];
  const failure = isExcused ? 'abandoned' : 'failed';
  if (status >= 500) return ['error_status', failure];
  if (status === 429) return ['rate_limited', failure];
  if (CREDENTIAL_ERRORS.has(status) || status === LACKS_MONEY) return ['credential_refused', failure];
  return ['refused', isExcused || RETRIED_CLIENT_ERRORS.has(status) ? failure : 'answered'];
}

/** Pages of a proxy before the upstream are for its operator: clients get an error in their own form instead. */
function withErrorBody<Content>(refusal: UpstreamAnswer<Content>): UpstreamAnswer<Content> {
  if (holdsError(refusal.head)) return refusal;
  const { status } = refusal;
  const error = openAiErrorBody(status, `The model’s server refused the request (status ${status}).`);
  return { ...refusal, contentType: 'application/json', head: Buffer.from(JSON.stringify(error)) };
}

const holdsError = (body: Buffer): boolean =>
  Boolean((parsed(body) as { error?: unknown } | null | undefined)?.error);

/** For how long an upstream asks not to be called; Infinity if it does not say. */
const pauseOf = ({ retryHeaders }: UpstreamAnswer<unknown>): number => {
  const millis = retryAfterMillis(retryHeaders, Date.now());
  return millis !== null && millis >= SHORTEST_PAUSE_MILLIS ? millis : Infinity;
};

/** The headers that tell clients when to try again, as the upstream wrote them. */
function retryHeadersOf(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of ['retry-after', 'retry-after-ms']) {
    const value = headers[name];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}
