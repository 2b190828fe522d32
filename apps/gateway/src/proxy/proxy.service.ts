import { Suspensions } from '@inference/guards';
import { keepingBody, logFailure, requireConnected } from '@inference/http';
import { type Charge, type UsageOutcome } from '@inference/metering';
import { picosToDecimal } from '@inference/money';
import { type OutputLimitField } from '@inference/serving';
import { Inject, Injectable } from '@nestjs/common';
import { type SseEvent } from '@inference/sse';
import { type Response } from 'express';
import { GatewayError, toOpenAiError } from '../errors/openai-error';
import { bodyHashOf } from '../idempotency/body-hash';
import { IdempotentCalls } from '../idempotency/idempotent-calls.service';
import { type KeptAnswer, sendAnswer, sendOnce } from '../idempotency/kept-answer';
import { type CallNotes } from '../unserved-calls/call-notes';
import { UnservedCalls } from '../unserved-calls/unserved-calls.service';
import { prefixHash } from '../upstreams/choice/prefix-hash';
import { type NativeProtocol, servedEndpointOf } from '../upstreams/upstream';
import { Cancellation } from '../upstreams/upstream-call';
import { RequestAbandonedError } from '../upstreams/upstream.errors';
import { type NativeRequest } from '../upstreams/upstream-request';
import { parsed, readAnswer } from '../upstreams/answer-json';
import { AnswerMemory, type HeldAnswer } from '../upstreams/answer-memory';
import { type UpstreamAnswer, UpstreamsService } from '../upstreams/upstreams.service';
import { type Admission, AdmissionService, servedBy } from './admission/admission.service';
import { type NativeCall } from './native-call';
import { type AnswerTranslation, errorEvent, proxyStream } from './streaming/proxy-stream';
import { ChatTranslators } from './chat-translators';
import { ignoredHeader, IGNORED_HEADER } from './ignored-fields';
import { CallBilling, tellsPrice, type Told, UNTOLD } from './call-billing';
import { OpenRequests } from './open-requests';
import { contentOf, lastEvents, type PlainAnswer, readPlainAnswer, reportedIn } from './plain-answer';
import { PROXY_CONFIG, type ProxyConfig } from './proxy.config';
import { type ProxyRequest, receiveProxyRequest } from './request/proxy-request';
import { KeepAlive } from './streaming/keep-alive';
import { cutWhenSuspended } from './suspended-call';
import { type FieldValue, withFields, withUsageOption } from './upstream-body';
import { hasForeignCost, withoutForeignCost } from './usage/foreign-cost';
import { weighLong } from './usage/json-weight';
import { asReported, meteredUsage } from './usage/metered-usage';
import { NOTHING_PRODUCED, type Produced } from './usage/produced';
import { readReportedUsage, type ReportedUsage } from './usage/reported-usage';
import { errorCodeIn, UPSTREAM_REFUSED, withCharset } from './upstream-refusal';
import { answerWithCost, readWithCost } from './usage/usage-cost';

type Answer = UpstreamAnswer<PlainAnswer>;

/** The body that the client gets, what it says, for whoever reads it, and what the call was charged; both are null for a refusal. */
interface Billed {
  body: Buffer;
  content: (() => PlainAnswer) | null;
  charge: Charge | null;
  /** Whether the body tells the price, as far as the key wants it. */
  tellsCost: boolean;
}

/** Says how long an answer may be, where the gateway limits it for want of money. */
const OUTPUT_LIMIT_HEADER = 'X-Output-Limit';
const FIRST_SERVER_ERROR = 500;

/** Admits a request, calls an upstream, meters and settles the usage, and only then ends the response. */
@Injectable()
export class ProxyService {
  constructor(
    private readonly admissions: AdmissionService,
    private readonly upstreams: UpstreamsService,
    private readonly billing: CallBilling,
    private readonly openRequests: OpenRequests,
    private readonly unserved: UnservedCalls,
    private readonly suspensions: Suspensions,
    private readonly keepAlive: KeepAlive,
    private readonly idempotentCalls: IdempotentCalls,
    private readonly memory: AnswerMemory,
    private readonly translators: ChatTranslators,
    @Inject(PROXY_CONFIG) private readonly config: ProxyConfig,
  ) {}

  /**
   * Serves one request and writes the response. Throws the errors of admission, upstreams and settlement; once a stream has
   * begun, they are sent as an event of the stream instead.
   * @param translation of a request in another protocol, whose body was translated; without it the answer is sent as it comes
   */
  async proxy(
    call: CallNotes,
    rawBody: unknown,
    response: Response,
    translation?: AnswerTranslation,
  ): Promise<void> {
    const stayConnected = () => requireConnected(response);
    const request = await receiveProxyRequest(
      servedEndpointOf(call.endpoint),
      rawBody,
      stayConnected,
      (model) => (call.model = model),
    );
    if (translation) request.native = translation.native;
    await weighLong(request, stayConnected);
    const { idempotencyKey } = call;
    if (idempotencyKey !== undefined && !request.stream)
      return this.serveOnce(idempotencyKey, request, call, response, translation);
    const admission = await this.admissions.admit(request, call);
    const { ticket } = admission;
    ticket?.tell(response);
    for (const [name, value] of Object.entries(headersOf(admission))) response.setHeader(name, value);
    // If the client disconnects, its call of the upstream is cancelled.
    const cancellation = new Cancellation();
    const onClose = () => {
      if (!response.writableFinished) cancellation.abort();
    };
    response.on('close', onClose);
    const unwatch = cutWhenSuspended(this.suspensions, call.caller, cancellation, response);
    const kind = request.stream ? 'stream' : 'plain';
    this.openRequests.begin(kind);
    if (request.stream) this.keepAlive.watch(response, translation?.ping);
    let answer: Answer | undefined;
    try {
      if (response.destroyed) return;
      answer = await this.ask(admission, cancellation, translation);
      call.answeredBy(answer.upstream);
      if (!response.headersSent) tellIgnored(answer, response);
      const served = servedBy(admission, answer.model);
      // Another model has another limit and another name.
      if (served !== admission && !response.headersSent) {
        response.removeHeader(OUTPUT_LIMIT_HEADER);
        for (const [name, value] of Object.entries(headersOf(served))) response.setHeader(name, value);
      }
      if (answer.rest) await this.sendStream(served, answer, response, cancellation, translation);
      else await this.sendPlain(served, answer, response, translation);
    } catch (error) {
      // A client that has left gets no error.
      if (!response.destroyed) this.fail(error, call, response, translation);
    } finally {
      this.keepAlive.unwatch(response);
      this.openRequests.end(kind);
      answer?.span?.end();
      response.off('close', onClose);
      unwatch();
      // Has no effect after settlement; otherwise nothing was served.
      admission.hold.release();
      ticket?.end();
      answer?.memory?.release();
    }
  }

  /** Serves a call that its client may repeat: it is made once, and runs on when the client leaves. */
  private async serveOnce(
    key: string,
    request: ProxyRequest,
    call: CallNotes,
    response: Response,
    translation: AnswerTranslation | undefined,
  ): Promise<void> {
    // As the client has sent it, which may say more than its translation.
    const sent = translation?.native.raw ?? request.raw;
    const bodyHash = await bodyHashOf(sent.length, [sent]);
    // From here on the call does not need its client. The memory of a body whose client has left before is given back already.
    requireConnected(response);
    let memory: HeldAnswer | undefined;
    try {
      const made = await keepingBody(response.req, () =>
        this.idempotentCalls.once(call, key, bodyHash, (confirm) =>
          this.answerOf(request, call, response, translation, async (answer) => {
            memory = answer.memory;
            if (answer.content) await confirm();
          }),
        ),
      );
      const { accountId } = call.caller;
      const stallMillis = this.config.clientStallTimeoutSeconds * 1000;
      await sendOnce(made, response, stallMillis, this.memory, accountId);
    } finally {
      memory?.release();
    }
  }

  /** Makes a call that goes on without its client. @param response gets what the limits say @param onAnswer called before it is charged */
  private async answerOf(
    request: ProxyRequest,
    call: CallNotes,
    response: Response,
    translation: AnswerTranslation | undefined,
    onAnswer: (answer: Answer) => Promise<void>,
  ): Promise<KeptAnswer> {
    const admission = await this.admissions.admit(request, call);
    const { ticket } = admission;
    ticket?.tell(response);
    this.openRequests.begin('plain');
    // Only a suspension cancels it.
    const cancellation = new Cancellation();
    const unwatch = cutWhenSuspended(this.suspensions, call.caller, cancellation, response);
    let answer: Answer | undefined;
    try {
      answer = await this.ask(admission, cancellation, translation);
      call.answeredBy(answer.upstream);
      tellIgnored(answer, response);
      const served = servedBy(admission, answer.model);
      await onAnswer(answer).catch((error: unknown) => {
        const reported = answer?.content && readReportedUsage(answer.content);
        this.billing.leaveUncharged(served, answer!, reported ? asReported(reported) : null);
        throw error;
      });
      const billed = await this.bill(served, answer, answer.status, translation);
      return await kept(plainAnswer(served, answer, billed, translation), translation);
    } finally {
      this.openRequests.end('plain');
      unwatch();
      answer?.span?.end();
      // Has no effect after settlement; otherwise nothing was served.
      admission.hold.release();
      ticket?.end();
    }
  }

  /** Throws the error, unless a pause has begun the stream: then its last event tells it. */
  private fail(
    error: unknown,
    call: CallNotes,
    response: Response,
    translation: AnswerTranslation | undefined,
  ): void {
    if (!response.headersSent || !(error instanceof GatewayError)) throw error;
    const { status } = toOpenAiError(error);
    if (status >= FIRST_SERVER_ERROR) logFailure(response.req, error);
    const { upstream } = error as { upstream?: string };
    if (upstream !== undefined) call.upstream = upstream;
    this.unserved.record(call, { httpStatus: response.statusCode, code: error.code, errorStatus: status });
    endWith(errorEvent(error), response, translation);
  }

  /** If the client leaves while an upstream works for it, the prompt is charged before the error is thrown. */
  private async ask(
    admission: Admission,
    cancellation: Cancellation,
    translation: AnswerTranslation | undefined,
  ): Promise<Answer> {
    try {
      return await this.askUpstreams(admission, cancellation, translation);
    } catch (error) {
      const { reason } = cancellation;
      if (reason) throw reason;
      if (error instanceof RequestAbandonedError) {
        const { upstream, model, isNative, costing } = error;
        const nothing = () => NOTHING_PRODUCED;
        await this.settle(
          servedBy(admission, model),
          { upstream, isNative, costing, span: undefined },
          'disconnected',
          null,
          false,
          nothing,
          UNTOLD,
        );
      }
      throw error;
    }
  }

  private askUpstreams(
    admission: Admission,
    cancellation: Cancellation,
    translation: AnswerTranslation | undefined,
  ): Promise<Answer> {
    const {
      request,
      model,
      fallbacks,
      call: { requestId, caller },
    } = admission;
    return this.upstreams.ask({
      endpoint: request.endpoint,
      native: translation && nativeRequest(translation.native, admission),
      models: fallbacks.length === 0 ? [model] : [model, ...fallbacks.map((fallback) => fallback.model)],
      prefix: prefixHash(caller.accountId, request.body),
      account: this.admissions.accountOf(admission.call),
      size: admission.size,
      requestId,
      bodyFor: (served, name) => {
        const serving = servedBy(admission, served);
        const fields = translation ? movedLimit(admission, serving.outputLimitField) : {};
        const { imposed } = serving.bounds;
        if (imposed) fields[imposed.field] = imposed.tokens;
        if (request.stream && !request.includeUsage) fields.stream_options = withUsageOption(request);
        if (name !== request.model) fields.model = name;
        return withFields(request, fields);
      },
      ...(request.endpoint === 'chat/completions' && {
        translate: (protocol: NativeProtocol, served: string, body: Buffer) =>
          this.translators.translate(protocol, body, servedBy(admission, served).bounds.answerTokens),
      }),
      read: (body) => readPlainAnswer(request.endpoint, body),
      usageOf: reportedIn,
      cancellation,
    });
  }

  private async sendPlain(
    admission: Admission,
    answer: Answer,
    response: Response,
    translation: AnswerTranslation | undefined,
  ): Promise<void> {
    const httpStatus = response.headersSent ? response.statusCode : answer.status;
    const billed = await this.bill(admission, answer, httpStatus, translation);
    // Storing takes time, and nothing may begin a stream meanwhile.
    this.keepAlive.unwatch(response);
    if (!response.headersSent)
      return sendAnswer(
        await kept(plainAnswer(admission, answer, billed, translation), translation),
        response,
        this.config.clientStallTimeoutSeconds * 1000,
        admission.call.caller.accountId,
      );
    // A pause has begun the stream that the client has asked for.
    const last = await lastEvents(admission.request, answer.status, billed, translation);
    const keeper = billed.charge && translation?.keeper;
    response.end(keeper ? await keeper.keepEvents(last) : last, 'latin1');
  }

  /** Charges an answer that came at once, or records that its server has refused the call, for which the client gets `httpStatus`. */
  private async bill(
    admission: Admission,
    answer: Answer,
    httpStatus: number,
    translation: AnswerTranslation | undefined,
  ): Promise<Billed> {
    if (!answer.content) {
      const code = errorCodeIn(answer.head) ?? UPSTREAM_REFUSED;
      this.unserved.record(admission.call, { httpStatus, code, errorStatus: answer.status });
      return { body: answer.head, content: null, charge: null, tellsCost: false };
    }
    const { finishReason, produced } = contentOf(
      answer.content,
      answer.isNative ? translation?.native.reader : undefined,
    );
    const told = { ...UNTOLD, finishReason };
    const reported = readReportedUsage(answer.content);
    const charge = await this.settle(admission, answer, 'completed', reported, true, produced, told);
    const shown = tellsPrice(admission) ? charge : null;
    let { content, head: ours } = answer;
    if (hasForeignCost(content)) {
      ours = await withoutForeignCost(ours);
      content = (await readPlainAnswer(admission.request.endpoint, ours)) ?? content;
    }
    const read = content;
    // A long answer without a usage is not searched for one.
    if (!('usage' in read)) return { body: ours, content: () => read, charge, tellsCost: false };
    const body = await answerWithCost(ours, shown);
    return { body, content: () => readWithCost(read, shown), charge, tellsCost: body !== ours };
  }

  private async sendStream(
    admission: Admission,
    answer: Answer,
    response: Response,
    cancellation: Cancellation,
    translation: AnswerTranslation | undefined,
  ): Promise<void> {
    let timeToFirstTokenMs: number | null = null;
    const native = answer.isNative ? translation?.native : undefined;
    const error = await proxyStream(answer, admission.request, response, {
      cancellation,
      translation: native ? undefined : translation,
      keeper: translation?.keeper,
      native: native && {
        reader: native.reader,
        failure: (failed, last) => {
          const { status, body } = toOpenAiError(failed);
          const { requestId } = admission.call;
          return native.reader.errorEvents({ status, error: body.error, requestId, ...last });
        },
      },
      maxOutputTokens: admission.bounds.outputTokens,
      stallMillis: this.config.clientStallTimeoutSeconds * 1000,
      onFirstToken: () => (timeToFirstTokenMs = admission.call.durationMs),
      onUncharged: (reported) =>
        this.billing.leaveUncharged(admission, answer, reported && asReported(reported)),
      reportsCost: tellsPrice(admission),
      settle: (outcome, usage, isWhole, produced, finishReason) =>
        this.settle(admission, answer, outcome, usage, isWhole, produced, {
          timeToFirstTokenMs,
          finishReason,
        }),
    });
    if (!error) return;
    const { status: errorStatus } = toOpenAiError(error);
    this.unserved.record(admission.call, { httpStatus: answer.status, code: error.code, errorStatus });
  }

  /** Charges a call; returns what it was charged. @param isWhole whether the report is that of the whole answer */
  private settle(
    admission: Admission,
    answer: Pick<Answer, 'upstream' | 'isNative' | 'costing' | 'span'> & Partial<Pick<Answer, 'use'>>,
    outcome: UsageOutcome,
    reported: ReportedUsage | null,
    isWhole: boolean,
    produced: () => Produced,
    told: Told,
  ): Promise<Charge> {
    const metered = meteredUsage(admission, isWhole, reported, produced, answer.isNative);
    return this.billing.settle(admission, answer, outcome, metered, told);
  }
}

/** What the headers tell of an admitted call. */
const headersOf = ({ bounds: { imposed }, call, model, request }: Admission): Record<string, string> => ({
  'X-Inference-Request-Id': call.requestId,
  ...(model !== request.model && { 'X-Inference-Model': model }),
  ...(imposed && { [OUTPUT_LIMIT_HEADER]: String(imposed.tokens) }),
});

/** The limit of a translated request in the field of the model that serves it; it was written into that of the model that is called. */
function movedLimit(
  { request, outputLimitField }: Admission,
  field: OutputLimitField,
): Record<string, FieldValue> {
  const limit = request.body[outputLimitField];
  return field === outputLimitField || limit == null ? {} : { [outputLimitField]: null, [field]: limit };
}

/** An answer that came at once, as it is sent. */
function plainAnswer(
  admission: Admission,
  answer: Answer,
  { body, content, charge, tellsCost }: Billed,
  translation: AnswerTranslation | undefined,
): KeptAnswer {
  const asItIs = { body, contentType: answer.contentType };
  const sent =
    translation && !(answer.isNative && isNativeBody(translation.native, answer))
      ? content
        ? translation.plain(content())
        : translation.refusal(answer.status, body)
      : asItIs;
  // What has no usage tells its price in a header.
  const isUntold = charge && tellsPrice(admission) && !tellsCost;
  return {
    status: answer.status,
    headers: {
      ...headersOf(admission),
      'Content-Type': withCharset(sent.contentType),
      ...(isUntold && { 'X-Cost': picosToDecimal(charge.costPicos) }),
      ...answer.retryHeaders,
    },
    body: typeof sent.body === 'string' ? Buffer.from(sent.body) : sent.body,
    requestId: admission.call.requestId,
    isCharged: charge !== null,
  };
}

/** Stores an answer that was charged, if its client wants that. */
async function kept(answer: KeptAnswer, translation: AnswerTranslation | undefined): Promise<KeptAnswer> {
  const keeper = translation?.keeper;
  if (!keeper || !answer.isCharged) return answer;
  if (answer.headers['Content-Type']!.startsWith('text/event-stream')) {
    const last = await keeper.keepEvents(answer.body.toString('latin1'));
    return { ...answer, body: Buffer.from(last, 'latin1') };
  }
  const { body, headers } = await keeper.keep(answer.body);
  return { ...answer, body, headers: { ...answer.headers, ...headers } };
}

/** Names what the upstream did not get. */
function tellIgnored({ isNative, ignored }: Answer, response: Response): void {
  if (isNative) response.removeHeader(IGNORED_HEADER);
  else if (ignored.length > 0 && !response.hasHeader(IGNORED_HEADER))
    response.setHeader(IGNORED_HEADER, ignoredHeader(ignored));
}

const endWith = (events: SseEvent, response: Response, translation: AnswerTranslation | undefined): void =>
  void response.end(translation ? translation.end(events) : events, 'latin1');

/** The request of a client for the upstreams that speak its protocol. */
const nativeRequest = (native: NativeCall, admission: Admission): NativeRequest<PlainAnswer> => ({
  protocol: native.protocol,
  headers: native.headers,
  bodyFor: (served, name) => {
    const { imposed } = servedBy(admission, served).bounds;
    const fields = { ...native.imposed };
    if (imposed) fields[native.limitField] = imposed.tokens;
    if (name !== admission.request.model) fields.model = name;
    return withFields({ raw: native.raw, members: native.members() }, fields);
  },
  read: (body) =>
    readAnswer(body, (content) => {
      const isAnswer = content !== null && typeof content === 'object' && native.reader.isAnswer(content);
      // Whoever has asked for a stream cannot read a plain answer.
      return isAnswer && !admission.request.stream ? (content as PlainAnswer) : null;
    }),
});

/** Whether the client can read the body of an answer as it is: that of a refusal may come from something before the server. */
function isNativeBody({ reader }: NativeCall, { content, head }: Answer): boolean {
  if (content) return true;
  const refusal = parsed(head);
  return refusal !== null && typeof refusal === 'object' && reader.isRefusal(refusal);
}
