import { Inject, Injectable } from '@nestjs/common';
import { type Caller } from '@inference/credentials';
import { type TokenUsage } from '@inference/metering';
import { estimateTokens } from '@inference/tokens';
import { type Response } from 'express';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { NotCoveredError } from '../errors/openai-error';
import { Settler } from '../settlement/settler';
import { type Outcome } from '../settlement/usage-event';
import { type UpstreamAnswer, Upstreams } from '../upstreams/upstreams';
import { readReportedUsage } from '../usage/reported-usage';
import { type Admission, AdmissionService, usageEventOf } from './admission.service';
import { type Endpoint } from './endpoint';
import { choiceText, promptText } from './produced-text';
import { readRelayRequest, withFields } from './relay-request';
import { relayStream } from './relay-stream';

interface PlainAnswer {
  usage?: unknown;
  choices?: unknown;
}

/** Admit, ask an upstream, meter, settle, and only then end the response. */
@Injectable()
export class RelayService {
  constructor(
    private readonly admissions: AdmissionService,
    private readonly upstreams: Upstreams,
    private readonly settler: Settler,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  async relay(
    endpoint: Endpoint,
    caller: Caller,
    entrypoint: string,
    rawBody: unknown,
    response: Response,
  ): Promise<void> {
    const request = readRelayRequest(endpoint, rawBody);
    const admission = await this.admissions.admit(request, caller, entrypoint);
    // A stream nobody reads is broken off; a plain answer is produced anyway, and paid for.
    const abort = new AbortController();
    const onClose = () => {
      if (request.stream && !response.writableFinished) abort.abort();
    };
    response.on('close', onClose);
    try {
      if (response.destroyed) return;
      const answer = await this.ask(admission, abort.signal);
      response.setHeader('X-Inference-Request-Id', admission.requestId);
      if (answer.rest) await this.relayStream(admission, answer, response, abort);
      else await this.relayPlain(admission, answer, response);
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    } finally {
      response.off('close', onClose);
      // Settled by now, or nothing was served.
      admission.hold.release();
    }
  }

  private ask({ request, bounds, requestId }: Admission, signal: AbortSignal): Promise<UpstreamAnswer> {
    const fields: Record<string, unknown> = {};
    if (bounds.imposedMaxTokens !== undefined) fields.max_tokens = bounds.imposedMaxTokens;
    if (request.stream && !request.includeUsage) {
      fields.stream_options = { ...(request.body.stream_options as object | undefined), include_usage: true };
    }
    return this.upstreams.ask({
      endpoint: request.endpoint,
      model: request.model,
      requestId,
      bodyFor: (model) => withFields(request, model === request.model ? fields : { ...fields, model }),
      accepts: (body) => parseAnswer(body) !== null,
      signal,
    });
  }

  private async relayPlain(admission: Admission, answer: UpstreamAnswer, response: Response): Promise<void> {
    if (answer.status < 400) {
      const { usage, choices } = parseAnswer(answer.head)!;
      const texts = Array.isArray(choices) ? choices.map(choiceText) : [];
      await this.settle(admission, answer.upstream, 'completed', readReportedUsage(usage), () =>
        texts.join(''),
      );
    }
    if (answer.retryAfter !== undefined) response.setHeader('Retry-After', answer.retryAfter);
    response.status(answer.status).setHeader('Content-Type', answer.contentType);
    response.end(answer.head);
  }

  private async relayStream(
    admission: Admission,
    answer: UpstreamAnswer,
    response: Response,
    abort: AbortController,
  ): Promise<void> {
    await relayStream(answer, admission.request, response, {
      abort,
      maxOutputTokens: admission.bounds.outputTokens,
      stallMillis: this.config.CLIENT_STALL_TIMEOUT_SECONDS * 1000,
      settle: (outcome, usage, producedText) =>
        this.settle(admission, answer.upstream, outcome, usage, producedText),
    });
  }

  private async settle(
    admission: Admission,
    upstream: string,
    outcome: Outcome,
    reported: TokenUsage | null,
    producedText: () => string,
  ): Promise<void> {
    const { usage, estimated } = meteredUsage(admission, outcome, reported, producedText);
    const served = { upstream, outcome };
    try {
      await this.settler.settle(usageEventOf(admission, { ...served, usage, estimated }), admission.hold);
    } catch (error) {
      const admitted = within(usage, admission.bounds);
      if (!(error instanceof NotCoveredError) || isSameUsage(admitted, usage)) throw error;
      // The upstream served more than was asked of it: what was set aside is still due.
      const event = usageEventOf(admission, { ...served, usage: admitted, estimated: true });
      await this.settler.settle(event, admission.hold);
    }
  }
}

/**
 * The upstream's own figures; our count where it gave none, or where it broke off after figures that do not show all
 * that was produced.
 */
function meteredUsage(
  admission: Admission,
  outcome: Outcome,
  reported: TokenUsage | null,
  producedText: () => string,
): { usage: TokenUsage; estimated: boolean } {
  if (reported && outcome === 'completed') return { usage: reported, estimated: false };
  const counted = estimate(admission, producedText());
  if (!reported) return { usage: counted, estimated: true };
  if (reported.outputTokens >= counted.outputTokens) return { usage: reported, estimated: false };
  return { usage: { ...reported, outputTokens: counted.outputTokens }, estimated: true };
}

/** Our own count, never above what was set aside for the request. */
function estimate({ request, bounds }: Admission, producedText: string): TokenUsage {
  const inputTokens = estimateTokens(promptText(request));
  return within({ inputTokens, outputTokens: estimateTokens(producedText) }, bounds);
}

function within(usage: TokenUsage, bounds: TokenUsage): TokenUsage {
  return {
    inputTokens: Math.min(usage.inputTokens, bounds.inputTokens),
    outputTokens: Math.min(usage.outputTokens, bounds.outputTokens),
  };
}

const isSameUsage = (a: TokenUsage, b: TokenUsage) =>
  a.inputTokens === b.inputTokens && a.outputTokens === b.outputTokens;

/** Some servers report a failure with status 200 and nothing but an error in the body. */
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
