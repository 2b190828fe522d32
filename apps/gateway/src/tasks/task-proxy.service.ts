import { Suspensions } from '@inference/guards';
import { drained, keepingBody, requireConnected } from '@inference/http';
import { type Charge, charge, type MeteredUsage, type UsageOutcome } from '@inference/metering';
import { picosToDecimal } from '@inference/money';
import { Inject, Injectable } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { GatewayError, toOpenAiError } from '../errors/openai-error';
import { bodyHashOf } from '../idempotency/body-hash';
import { IdempotentCalls } from '../idempotency/idempotent-calls.service';
import { type KeptAnswer, MOST_KEPT_BYTES, sendAnswer, sendOnce } from '../idempotency/kept-answer';
import { AdmissionService, type AdmittedTask, servedBy } from '../proxy/admission/admission.service';
import { CallBilling, tellsPrice, UNTOLD } from '../proxy/call-billing';
import { OpenRequests } from '../proxy/open-requests';
import { reportedIn } from '../proxy/plain-answer';
import { PROXY_CONFIG, type ProxyConfig } from '../proxy/proxy.config';
import { beginCall } from '../proxy/request/entrypoint';
import { errorEvent } from '../proxy/streaming/proxy-stream';
import { cutWhenSuspended } from '../proxy/suspended-call';
import { errorCodeIn, UPSTREAM_REFUSED, withCharset } from '../proxy/upstream-refusal';
import { asReported } from '../proxy/usage/metered-usage';
import { answerWithCost } from '../proxy/usage/usage-cost';
import { type CallNotes } from '../unserved-calls/call-notes';
import { UnservedCalls } from '../unserved-calls/unserved-calls.service';
import { isEventStream, isJson } from '../upstreams/answer-headers';
import { Cancellation } from '../upstreams/upstream-call';
import { seedOf } from '../upstreams/choice/prefix-hash';
import { RequestAbandonedError, UpstreamFailedError } from '../upstreams/upstream.errors';
import { AnswerMemory, type HeldAnswer } from '../upstreams/answer-memory';
import { type UpstreamAnswer, UpstreamsService } from '../upstreams/upstreams.service';
import { isForm, withoutBoundary } from './requests/form-data';
import { type Task, type TaskAnswer, type TaskRequest } from './task';
import { TaskStream } from './task-stream';
import { taskUsage } from './task-usage';

type Answer = UpstreamAnswer<TaskAnswer>;

interface ServedTask {
  admission: AdmittedTask;
  request: TaskRequest;
  response: Response;
  cancellation: Cancellation;
}

/**
 * Serves requests to models with one task: admits them, passes them on to an upstream, meters and settles them, and only then ends the
 * response. Unlike text, an answer that the upstream breaks off is of no use, and free.
 */
@Injectable()
export class TaskProxy {
  constructor(
    private readonly admissions: AdmissionService,
    private readonly upstreams: UpstreamsService,
    private readonly billing: CallBilling,
    private readonly openRequests: OpenRequests,
    private readonly unserved: UnservedCalls,
    private readonly suspensions: Suspensions,
    private readonly idempotentCalls: IdempotentCalls,
    private readonly memory: AnswerMemory,
    @Inject(PROXY_CONFIG) private readonly config: ProxyConfig,
  ) {}

  /**
   * Writes the response. Throws the errors of the task, of admission, upstreams and settlement.
   * @param readBody called when the headers of the request are known to be valid
   */
  async serve(
    task: Task,
    httpRequest: Request,
    response: Response,
    readBody: () => Promise<Buffer>,
  ): Promise<void> {
    const call = beginCall(task.endpoint, httpRequest);
    const body = {
      bytes: await readBody(),
      contentType: httpRequest.get('Content-Type') ?? '',
      requireClient: () => requireConnected(response),
    };
    const request = await task.read(body, (model) => (call.model = model));
    const { idempotencyKey } = call;
    if (idempotencyKey !== undefined && !request.isStream) {
      const { bytes, contentType } = body;
      const parts = isForm(contentType) ? withoutBoundary(bytes, contentType) : [bytes];
      const bodyHash = await bodyHashOf(bytes.length, parts);
      // From here on the call does not need its client, as in ProxyService.
      body.requireClient();
      let memory: HeldAnswer | undefined;
      try {
        const made = await keepingBody(httpRequest, () =>
          this.idempotentCalls.once(call, idempotencyKey, bodyHash, (confirm) =>
            this.answerOf(task, request, call, response, async (answer, isWhole) => {
              memory = answer.memory;
              if (isWhole) await confirm();
            }),
          ),
        );
        const { accountId } = call.caller;
        return await sendOnce(made, response, this.stallMillis, this.memory, accountId);
      } finally {
        memory?.release();
      }
    }
    const admission = await this.admissions.admitTask(task, request, call);
    admission.ticket?.tell(response);
    const cancellation = new Cancellation();
    const onClose = () => {
      if (!response.writableFinished) cancellation.abort();
    };
    response.on('close', onClose);
    const unwatch = cutWhenSuspended(this.suspensions, call.caller, cancellation, response);
    this.openRequests.begin('plain');
    let answer: Answer | undefined;
    try {
      if (response.destroyed) return;
      const asked = { admission, request, response, cancellation };
      answer = await this.ask(task, asked);
      const served = { ...asked, admission: servedBy(admission, answer.model) };
      call.answeredBy(answer.upstream);
      for (const [name, value] of Object.entries(headersOf(served, answer))) response.setHeader(name, value);
      await this.send(served, answer);
    } catch (error) {
      // A client that has left gets no error.
      if (!response.destroyed) throw error;
    } finally {
      this.openRequests.end('plain');
      answer?.span?.end();
      response.off('close', onClose);
      unwatch();
      // Has no effect after settlement; otherwise nothing was served.
      admission.hold.release();
      admission.ticket?.end();
      answer?.memory?.release();
    }
  }

  /** Makes a request that goes on without its client. Audio, too, is sent when all of it is there. */
  private async answerOf(
    task: Task,
    request: TaskRequest,
    call: CallNotes,
    response: Response,
    onAnswer: (answer: Answer, isWhole: boolean) => Promise<void>,
  ): Promise<KeptAnswer> {
    const admission = await this.admissions.admitTask(task, request, call);
    admission.ticket?.tell(response);
    // Only a suspension cancels it.
    const cancellation = new Cancellation();
    const unwatch = cutWhenSuspended(this.suspensions, call.caller, cancellation, response);
    this.openRequests.begin('plain');
    let answer: Answer | undefined;
    try {
      const asked = { admission, request, response, cancellation };
      answer = await this.ask(task, asked);
      const served = { ...asked, admission: servedBy(admission, answer.model) };
      call.answeredBy(answer.upstream);
      let content: Buffer | undefined;
      let usage: MeteredUsage | null = null;
      try {
        content = answer.rest ? await wholeAudio(answer, cancellation) : undefined;
        usage = taskUsage(served.admission.rates, request, answer.content).usage;
        await onAnswer(answer, Boolean(answer.content ?? content));
      } catch (error) {
        this.billing.leaveUncharged(served.admission, answer, usage);
        throw error;
      }
      return content
        ? await this.audioAnswer(served, answer, content)
        : await this.plainAnswer(served, answer);
    } finally {
      this.openRequests.end('plain');
      unwatch();
      answer?.span?.end();
      // Has no effect after settlement; otherwise nothing was served.
      admission.hold.release();
      admission.ticket?.end();
    }
  }

  /** If the client leaves while an upstream works for it, the request is charged before the error is thrown. */
  private async ask({ endpoint }: Task, served: ServedTask): Promise<Answer> {
    const { admission, request, cancellation } = served;
    const { contentType } = request;
    try {
      return await this.upstreams.ask<TaskAnswer>({
        endpoint,
        models: [admission.model, ...admission.fallbacks.map(({ model }) => model)],
        prefix: seedOf(admission.call.requestId),
        account: this.admissions.accountOf(admission.call),
        size: admission.size,
        requestId: admission.call.requestId,
        ...(contentType !== undefined && { contentType }),
        bodyFor: (_model, upstreamModel) => request.bodyFor(upstreamModel),
        read: (body) => request.read(body),
        usageOf: reportedIn,
        isStream: (type) =>
          isEventStream(type) ? request.events !== undefined : request.isBinary === true && !isJson(type),
        cancellation,
      });
    } catch (error) {
      if (cancellation.reason) throw cancellation.reason;
      if (error instanceof RequestAbandonedError)
        await this.settle(
          { ...served, admission: servedBy(admission, error.model) },
          { upstream: error.upstream, costing: error.costing, span: undefined },
          'disconnected',
          null,
        );
      throw error;
    }
  }

  private send(served: ServedTask, answer: Answer): Promise<void> {
    if (!answer.rest) return this.sendPlain(served, answer);
    return isEventStream(answer.contentType)
      ? this.sendEvents(served, answer)
      : this.sendBytes(served, answer);
  }

  private async sendPlain(served: ServedTask, answer: Answer): Promise<void> {
    const { accountId } = served.admission.call.caller;
    await sendAnswer(await this.plainAnswer(served, answer), served.response, this.stallMillis, accountId);
  }

  /** Charges an answer that came at once, or records that its server has refused the request. */
  private async plainAnswer(served: ServedTask, answer: Answer): Promise<KeptAnswer> {
    const { admission } = served;
    const headers: Record<string, string> = {
      ...headersOf(served, answer),
      ...answer.retryHeaders,
      'Content-Type': withCharset(answer.contentType),
    };
    let body = answer.head;
    if (answer.content) {
      const charged = await this.settle(served, answer, 'completed', answer.content);
      const reportsCost = tellsPrice(admission);
      if (isJson(answer.contentType)) body = await answerWithCost(answer.head, reportsCost ? charged : null);
      if (reportsCost && body === answer.head) headers['X-Cost'] = picosToDecimal(charged.costPicos);
    } else {
      const code = errorCodeIn(answer.head) ?? UPSTREAM_REFUSED;
      this.unserved.record(admission.call, { httpStatus: answer.status, code });
    }
    const { requestId } = admission.call;
    return { status: answer.status, headers, body, requestId, isCharged: answer.content !== null };
  }

  private async audioAnswer(served: ServedTask, answer: Answer, body: Buffer): Promise<KeptAnswer> {
    const { status, contentType } = answer;
    const charged = await this.settle(served, answer, 'completed', null);
    const headers = {
      ...headersOf(served, answer),
      'Content-Type': contentType,
      ...(tellsPrice(served.admission) && { 'X-Cost': picosToDecimal(charged.costPicos) }),
    };
    return { status, headers, body, requestId: served.admission.call.requestId, isCharged: true };
  }

  /** Called when the first bytes of a stream are sent: an error before them has other headers. */
  private begin({ response }: ServedTask, { status, contentType }: Answer): void {
    if (response.headersSent) return;
    response
      .status(status)
      .setHeader('Content-Type', contentType)
      .setHeader('Cache-Control', 'no-cache, no-transform')
      .setHeader('X-Accel-Buffering', 'no');
  }

  /** What audio costs is known before it begins. Its last bytes wait until it is billed. */
  private async sendBytes(served: ServedTask, answer: Answer): Promise<void> {
    const { response, cancellation } = served;
    let last = answer.head;
    try {
      for (let chunk = await answer.rest!.next(); !chunk.done; chunk = await answer.rest!.next()) {
        this.beginAudio(served, answer);
        if (!response.write(last) && !(await this.drained(response))) cancellation.abort();
        last = chunk.value;
      }
    } catch {
      return this.breakOff(served, answer, () => response.destroy());
    }
    const charged = await this.settleStream(served, answer, null, () => response.destroy());
    if (!charged) return;
    this.beginAudio(served, answer);
    response.end(last);
  }

  private beginAudio(served: ServedTask, answer: Answer): void {
    const { admission, request, response } = served;
    if (response.headersSent) return;
    this.begin(served, answer);
    if (!tellsPrice(admission)) return;
    const { usage } = taskUsage(admission.rates, request, null);
    const { costPicos } = charge(admission.rates, usage, admission.usdPerUnit);
    response.setHeader('X-Cost', picosToDecimal(costPicos));
  }

  private async sendEvents(served: ServedTask, answer: Answer): Promise<void> {
    const { admission, request, response, cancellation } = served;
    const events = request.events!();
    const stream = new TaskStream(events, tellsPrice(admission));
    const endWith = (error: GatewayError) => void response.end(errorEvent(error), 'latin1');
    const begun = () => events.answer ?? events.begun;
    try {
      let chunk: IteratorResult<Buffer> = { done: false, value: answer.head };
      for (; !chunk.done; chunk = await answer.rest!.next()) {
        const ready = stream.push(chunk.value);
        if (ready === '') continue;
        this.begin(served, answer);
        if (!response.write(ready, 'latin1') && !(await this.drained(response))) cancellation.abort();
      }
    } catch {
      return this.breakOff(served, answer, endWith, begun(), stream.hasFailed);
    }
    stream.flush();
    if (!events.answer || stream.hasFailed) {
      const endAsSaid = () => void response.end(stream.last(), 'latin1');
      const end = stream.hasFailed ? endAsSaid : endWith;
      return this.breakOff(served, answer, end, begun(), stream.hasFailed);
    }
    const charged = await this.settleStream(served, answer, events.answer, endWith);
    if (!charged) return;
    this.begin(served, answer);
    response.end(stream.last(charged), 'latin1');
  }

  /**
   * Ends the response of an answer that is not complete. A client that has left is charged for its request.
   * @param begun what has arrived, for which such a client is charged besides unless the upstream has failed
   */
  private async breakOff(
    served: ServedTask,
    answer: Answer,
    end: (error: GatewayError) => void,
    begun: TaskAnswer | null = null,
    hasFailed = false,
  ): Promise<void> {
    const { aborted: isAborted, reason } = served.cancellation;
    if (isAborted && !reason) {
      await this.settle(served, answer, 'disconnected', hasFailed ? null : begun);
      return;
    }
    const reported = begun?.reported;
    this.billing.leaveUncharged(served.admission, answer, reported ? asReported(reported) : null);
    if (reason) return this.fail(served, answer, reason, end);
    served.cancellation.abort();
    this.fail(served, answer, new UpstreamFailedError(answer.upstream), end);
  }

  /** As `settle`; null if that has failed and the response, which had begun, has ended with the error. */
  private async settleStream(
    served: ServedTask,
    answer: Answer,
    content: TaskAnswer | null,
    end: (error: GatewayError) => void,
  ): Promise<Charge | null> {
    try {
      return await this.settle(served, answer, 'completed', content);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      this.fail(served, answer, error, end);
      return null;
    }
  }

  /** Throws the error if the response has not begun; otherwise ends it. */
  private fail(
    { admission, response }: ServedTask,
    { status: httpStatus }: Answer,
    error: GatewayError,
    end: (error: GatewayError) => void,
  ): void {
    if (!response.headersSent) throw error;
    const { status: errorStatus } = toOpenAiError(error);
    this.unserved.record(admission.call, { httpStatus, code: error.code, errorStatus });
    end(error);
  }

  private settle(
    { admission, request }: ServedTask,
    answer: Pick<Answer, 'upstream' | 'costing' | 'span'>,
    outcome: UsageOutcome,
    content: TaskAnswer | null,
  ): Promise<Charge> {
    const metered = taskUsage(admission.rates, request, content);
    return this.billing.settle(admission, answer, outcome, metered, UNTOLD);
  }

  private drained(response: Response): Promise<boolean> {
    return drained(response, this.stallMillis);
  }

  private get stallMillis(): number {
    return this.config.clientStallTimeoutSeconds * 1000;
  }
}

const headersOf = ({ admission, request }: ServedTask, { model }: Answer): Record<string, string> => ({
  'X-Inference-Request-Id': admission.call.requestId,
  ...(model !== request.model && { 'X-Inference-Model': model }),
});

/** Throws UpstreamFailedError if audio breaks off, is too long, or comes as events that nobody has asked for; and the reason of a suspension. */
async function wholeAudio(
  { head, rest, upstream, contentType, memory }: Answer,
  cancellation: Cancellation,
): Promise<Buffer> {
  const chunks = [head];
  let length = head.length;
  try {
    if (isEventStream(contentType)) throw new Error('events');
    for (let chunk = await rest!.next(); !chunk.done; chunk = await rest!.next()) {
      chunks.push(chunk.value);
      length += chunk.value.length;
      if (length > MOST_KEPT_BYTES) throw new Error('the audio is too long');
      await memory?.arrived(length);
    }
  } catch {
    memory?.release();
    if (cancellation.reason) throw cancellation.reason;
    cancellation.abort();
    throw new UpstreamFailedError(upstream);
  }
  return Buffer.concat(chunks);
}
