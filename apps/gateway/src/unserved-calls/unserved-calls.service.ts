import { Database, isDatabaseUnavailable } from '@inference/database';
import { Metrics, RefusedCalls } from '@inference/http';
import { Injectable, Logger } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { Counter } from 'prom-client';
import { BackgroundWriter } from '../background-writer';
import { describeAnswer } from '../errors/openai-error.filter';
import { type CalledEndpoint } from '../upstreams/upstream';
import { CallNotes, clientRequestIdOf } from './call-notes';
import { insertUnservedCalls, type UnservedCallRow } from './unserved-calls.repository';

/**
 * Calls of an account of which a process records each in a minute. Chosen: 10 a second are enough to see what a program does wrong; at ten
 * times as many, one account in a loop writes 9 million rows a day.
 */
const MOST_PER_MINUTE = 600;
/** Of the calls beyond, which show that it goes on, each of so many is recorded. */
const SAMPLED = 100;
/**
 * Calls of all accounts that a process records in a minute. Chosen: an attack with many accounts writes 4 million rows a day at most, some
 * 2 GB with their indexes; a site at which every second call fails serves 100 a second before any is missing.
 */
const MOST_IN_ALL_PER_MINUTE = 3_000;
const MINUTE_MILLIS = 60_000;
/** Calls that wait while the database is away. Chosen: at some 500 bytes each they take 5 MB. */
const MOST_WAITING = 10_000;
/** Calls of one statement. */
const MOST_AT_ONCE = 500;
const LONGEST_MODEL = 128;
const LONGEST_CODE = 64;
const FIRST_SERVER_ERROR = 500;

const ENDPOINTS: Record<string, CalledEndpoint> = {
  '/v1/chat/completions': 'chat/completions',
  '/v1/completions': 'completions',
  '/v1/embeddings': 'embeddings',
  '/v1/messages': 'messages',
  '/v1/responses': 'responses',
  '/v1/rerank': 'rerank',
  '/v1/images/generations': 'images/generations',
  '/v1/audio/transcriptions': 'audio/transcriptions',
  '/v1/audio/translations': 'audio/translations',
  '/v1/audio/speech': 'audio/speech',
  '/v1/moderations': 'moderations',
};

/**
 * Codes of PostgreSQL for what passes: a row without a partition (the job that creates them runs every minute), and a deadlock with
 * that job or a lock that it holds.
 */
const PASSING_FAULTS = new Set(['23514', '40P01', '55P03']);
/** Of a batch with a passing fault. Chosen: some minutes, so that a row that never fits does not stop the log. */
const MOST_ATTEMPTS = 1_000;

const OUTCOMES = ['recorded', 'over_limit', 'no_room', 'failed'] as const;

/** How a call ended for the client. */
export interface Refusal {
  /** What the client got. */
  httpStatus: number;
  code: string;
  /** Decides whether the call was refused or has failed; that of the answer unless a stream had begun. */
  errorStatus?: number;
}

/**
 * Records calls that were refused or have failed, for their customer and the operator, in the background. No answer waits for it, and
 * no call fails because of it: what cannot be written is dropped and counted.
 */
@Injectable()
export class UnservedCalls extends BackgroundWriter<UnservedCallRow> {
  private readonly logger = new Logger(UnservedCalls.name);
  private readonly counter: Counter<'outcome'>;
  private attempts = 0;
  private minute = 0;
  private countsOfMinute = new Map<string, number>();
  private recordedInMinute = 0;

  constructor(
    private readonly database: Database,
    metrics: Metrics,
    refusedCalls: RefusedCalls,
  ) {
    super();
    this.counter = new Counter({
      name: 'gateway_unserved_calls_total',
      help: 'Refused and failed calls, by whether they were recorded for the account or dropped.',
      labelNames: ['outcome'],
      registers: [metrics.registry],
    });
    for (const outcome of OUTCOMES) this.counter.inc({ outcome }, 0);
    refusedCalls.beforeAnswer((error, request, response) => this.recordError(error, request, response));
  }

  /** Returns whether the call will be found by its id, unless the database stays away. */
  record(call: CallNotes, { httpStatus, code, errorStatus = httpStatus }: Refusal): boolean {
    // Found in the log once it is known whether it was charged.
    if (code === 'billing_unknown') return false;
    if (this.isOverLimit(call.caller.accountId)) return this.drop('over_limit');
    if (this.waiting.length >= MOST_WAITING) return this.drop('no_room');
    this.add({
      request_id: call.requestId,
      client_request_id: call.clientRequestId,
      occurred_at: new Date().toISOString(),
      started_at: call.startedAt.toISOString(),
      account_id: call.caller.accountId,
      api_key_id: call.caller.apiKey?.id ?? null,
      model: storable(call.model, LONGEST_MODEL),
      entrypoint: call.entrypoint,
      endpoint: call.endpoint,
      kind: errorStatus >= FIRST_SERVER_ERROR ? 'failed' : 'refused',
      http_status: httpStatus,
      error_code: storable(code, LONGEST_CODE) ?? '',
      upstream: call.upstream ?? null,
      duration_ms: call.durationMs,
      time_to_first_byte_ms: call.timeToFirstByteMs ?? null,
    });
    return true;
  }

  private recordError(error: unknown, request: Request, response: Response): void {
    const { caller, route } = request as { caller: Request['caller']; route?: { path?: string } };
    const endpoint = ENDPOINTS[route?.path ?? ''];
    // A client that has left gets no answer.
    if (!caller || !endpoint || response.destroyed) return;
    const call = request.call ?? new CallNotes(endpoint, caller, request.id!);
    call.clientRequestId ??= clientRequestIdOf(request, caller);
    const { upstream } = error as { upstream?: unknown };
    if (typeof upstream === 'string') call.upstream = upstream;
    const { status, body } = describeAnswer(error, request);
    const code = body.error.code ?? (status >= FIRST_SERVER_ERROR ? 'internal_error' : 'invalid_request');
    const httpStatus = response.headersSent ? response.statusCode : status;
    const isRecorded = this.record(call, { httpStatus, code, errorStatus: status });
    if (isRecorded && !response.headersSent) response.setHeader('X-Inference-Request-Id', call.requestId);
  }

  private isOverLimit(accountId: string): boolean {
    const minute = Math.floor(performance.now() / MINUTE_MILLIS);
    if (minute !== this.minute) {
      this.minute = minute;
      this.countsOfMinute = new Map();
      this.recordedInMinute = 0;
    }
    const count = (this.countsOfMinute.get(accountId) ?? 0) + 1;
    this.countsOfMinute.set(accountId, count);
    const isSampled = count > MOST_PER_MINUTE && count % SAMPLED !== 0;
    if (isSampled || this.recordedInMinute >= MOST_IN_ALL_PER_MINUTE) return true;
    this.recordedInMinute += 1;
    return false;
  }

  private drop(outcome: (typeof OUTCOMES)[number], calls = 1): false {
    this.counter.inc({ outcome }, calls);
    return false;
  }

  /** A batch that the database cannot take now is tried again after a pause. */
  protected async writeBatch(): Promise<void> {
    const batch = this.waiting.slice(0, MOST_AT_ONCE);
    try {
      await insertUnservedCalls(this.database, batch);
      this.counter.inc({ outcome: 'recorded' }, batch.length);
    } catch (error) {
      this.attempts += 1;
      const isPassing = isDatabaseUnavailable(error) || this.attempts < MOST_ATTEMPTS;
      if (!this.isStopping && mayGoAway(error) && isPassing) return;
      this.logger.warn(`${batch.length} refused or failed calls were not recorded: ${String(error)}`);
      this.drop('failed', batch.length);
    }
    this.attempts = 0;
    this.waiting.splice(0, batch.length);
  }
}

const mayGoAway = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || PASSING_FAULTS.has((error as { code?: string } | null)?.code ?? '');

/** A text from outside, shortened, as PostgreSQL and JSON can hold it; null for anything else. */
function storable(text: unknown, longest: number): string | null {
  if (typeof text !== 'string' || text === '') return null;
  const wellFormed = Buffer.from(text.slice(0, longest)).toString('utf8');
  return wellFormed.replace(/\p{Cc}/gu, ' ');
}
