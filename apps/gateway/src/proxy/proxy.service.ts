import { Suspensions } from '@inference/guards';
import { requireConnected } from '@inference/http';
import { type Charge, type UsageOutcome } from '@inference/metering';
import { picosToDecimal } from '@inference/money';
import { Inject, Injectable } from '@nestjs/common';
import { type Response } from 'express';
import { toOpenAiError } from '../errors/openai-error';
import { type CallNotes } from '../unserved-calls/call-notes';
import { UnservedCalls } from '../unserved-calls/unserved-calls.service';
import { servedEndpointOf } from '../upstreams/upstream';
import { Cancellation } from '../upstreams/upstream-call';
import { RequestAbandonedError } from '../upstreams/upstream.errors';
import { type UpstreamAnswer, UpstreamsService } from '../upstreams/upstreams.service';
import { type Admission, AdmissionService } from './admission/admission.service';
import { type AnswerTranslation } from './answer-translation';
import { CallBilling, tellsPrice, type Told, UNTOLD } from './call-billing';
import { OpenRequests } from './open-requests';
import { PROXY_CONFIG, type ProxyConfig } from './proxy.config';
import { type ProxyRequest, receiveProxyRequest } from './request/proxy-request';
import { proxyStream } from './streaming/proxy-stream';
import { cutWhenSuspended } from './suspended-call';
import { hasForeignCost, withoutForeignCost } from './usage/foreign-cost';
import { meteredUsage } from './usage/metered-usage';
import { finishReasonOf, NOTHING_PRODUCED, type Produced, producedByAll } from './usage/produced';
import { readReportedUsage, type ReportedUsage } from './usage/reported-usage';
import { errorCodeIn, UPSTREAM_REFUSED, withCharset } from './upstream-refusal';
import { withCost } from './usage/usage-cost';

interface PlainAnswer {
  choices?: unknown;
}

type Answer = UpstreamAnswer<PlainAnswer>;

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
    const request = await receiveProxyRequest(
      servedEndpointOf(call.endpoint),
      rawBody,
      () => requireConnected(response),
      (model) => (call.model = model),
    );
    const admission = await this.admissions.admit(request, call);
    const { ticket } = admission;
    ticket?.tell(response);
    // If the client disconnects, its call of the upstream is cancelled.
    const cancellation = new Cancellation();
    const onClose = () => {
      if (!response.writableFinished) cancellation.abort();
    };
    response.on('close', onClose);
    const unwatch = cutWhenSuspended(this.suspensions, call.caller, cancellation, response);
    const kind = request.stream ? 'stream' : 'plain';
    this.openRequests.begin(kind);
    let answer: Answer | undefined;
    try {
      if (response.destroyed) return;
      answer = await this.ask(admission, cancellation);
      call.answeredBy(answer.upstream);
      response.setHeader('X-Inference-Request-Id', call.requestId);
      if (answer.rest) await this.sendStream(admission, answer, response, cancellation, translation);
      else await this.sendPlain(admission, answer, response, translation);
    } catch (error) {
      // A client that has left gets no error.
      if (!response.destroyed) throw error;
    } finally {
      this.openRequests.end(kind);
      answer?.span?.end();
      response.off('close', onClose);
      unwatch();
      // Has no effect after settlement; otherwise nothing was served.
      admission.hold.release();
      ticket?.end();
    }
  }

  /** If the client leaves while an upstream works for it, the prompt is charged before the error is thrown. */
  private async ask(admission: Admission, cancellation: Cancellation): Promise<Answer> {
    try {
      return await this.askUpstreams(admission, cancellation);
    } catch (error) {
      const { reason } = cancellation;
      if (reason) throw reason;
      if (error instanceof RequestAbandonedError) {
        const { upstream } = error;
        const nothing = () => NOTHING_PRODUCED;
        await this.settle(
          admission,
          { upstream, span: undefined },
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
    { request, bounds, call: { requestId } }: Admission,
    cancellation: Cancellation,
  ): Promise<Answer> {
    const fields: Record<string, unknown> = {};
    if (bounds.imposedMaxTokens !== undefined) fields.max_tokens = bounds.imposedMaxTokens;
    if (request.stream && !request.includeUsage) {
      fields.stream_options = { ...request.body.stream_options, include_usage: true };
    }
    return this.upstreams.ask({
      endpoint: request.endpoint,
      model: request.model,
      requestId,
      bodyFor: (model) => withFields(request, model === request.model ? fields : { ...fields, model }),
      read: parseAnswer,
      cancellation,
    });
  }

  private async sendPlain(
    admission: Admission,
    answer: Answer,
    response: Response,
    translation: AnswerTranslation | undefined,
  ): Promise<void> {
    let body = answer.head;
    if (answer.content) {
      const { choices } = answer.content;
      const all: unknown[] = Array.isArray(choices) ? choices : [];
      const told = { ...UNTOLD, finishReason: finishReasonOf(all[0]) };
      const reported = readReportedUsage(answer.content);
      const produced = () => producedByAll(all);
      const charge = await this.settle(admission, answer, 'completed', reported, true, produced, told);
      const reportsCost = tellsPrice(admission);
      const ours = hasForeignCost(answer.content) ? withoutForeignCost(answer.head) : answer.head;
      body = withCost(ours, reportsCost ? charge : null);
      if (reportsCost && body === ours) response.setHeader('X-Cost', picosToDecimal(charge.costPicos));
    } else {
      const refusal = { httpStatus: answer.status, code: errorCodeIn(answer.head) ?? UPSTREAM_REFUSED };
      this.unserved.record(admission.call, refusal);
    }
    if (answer.retryAfter !== undefined) response.setHeader('Retry-After', answer.retryAfter);
    const sent = translation?.plain(answer.status, body) ?? { body, contentType: answer.contentType };
    response.status(answer.status).setHeader('Content-Type', withCharset(sent.contentType));
    response.end(sent.body);
  }

  private async sendStream(
    admission: Admission,
    answer: Answer,
    response: Response,
    cancellation: Cancellation,
    translation: AnswerTranslation | undefined,
  ): Promise<void> {
    let timeToFirstTokenMs: number | null = null;
    const error = await proxyStream(answer, admission.request, response, {
      cancellation,
      translation,
      maxOutputTokens: admission.bounds.outputTokens,
      stallMillis: this.config.clientStallTimeoutSeconds * 1000,
      onFirstToken: () => (timeToFirstTokenMs = admission.call.durationMs),
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
    answer: Pick<Answer, 'upstream' | 'span'>,
    outcome: UsageOutcome,
    reported: ReportedUsage | null,
    isWhole: boolean,
    produced: () => Produced,
    told: Told,
  ): Promise<Charge> {
    const metered = meteredUsage(admission, isWhole, reported, produced);
    return this.billing.settle(admission, answer, outcome, metered, told);
  }
}

/** Some servers report a failure with status 200 and a body that holds only an error. */
function isPlainAnswer(answer: unknown): answer is PlainAnswer {
  if (answer === null || typeof answer !== 'object') return false;
  const { choices, data } = answer as Record<string, unknown>;
  return Array.isArray(choices) || Array.isArray(data);
}

function parseAnswer(body: Buffer): PlainAnswer | null {
  try {
    const answer: unknown = JSON.parse(body.toString('utf8'));
    return isPlainAnswer(answer) ? answer : null;
  } catch {
    return null;
  }
}

/**
 * Returns the body for the upstream: the client's bytes with the given fields set. The value of a field that the body has is
 * replaced, other fields are inserted at its start, and every other byte stays as it was. The
 * body is not empty, and the fields are among READ_FIELDS.
 */
export function withFields(
  { raw, members }: Pick<ProxyRequest, 'raw' | 'members'>,
  fields: Record<string, unknown>,
): Buffer {
  const present = members.filter(({ name }) => Object.hasOwn(fields, name));
  const absent = Object.entries(fields).filter(([name]) => !present.some((member) => member.name === name));
  if (present.length + absent.length === 0) return raw;
  const parts: Buffer[] = [];
  let copied = 0;
  const replace = (start: number, end: number, text: string) => {
    parts.push(raw.subarray(copied, start), Buffer.from(text));
    copied = end;
  };
  const start = raw.indexOf('{') + 1;
  if (absent.length > 0) replace(start, start, `${JSON.stringify(Object.fromEntries(absent)).slice(1, -1)},`);
  for (const member of present) replace(member.start, member.end, JSON.stringify(fields[member.name]));
  return Buffer.concat([...parts, raw.subarray(copied)]);
}
