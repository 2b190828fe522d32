import { Database } from '@inference/database';
import { type Caller } from '@inference/guards';
import { DetailedException, UnavailableException } from '@inference/http';
import { type Refusal } from '@inference/model-calls';
import { type HttpException, Injectable, type MessageEvent } from '@nestjs/common';
import { type Response } from 'express';
import { type Observable } from 'rxjs';
import { ReplicaHeartbeat } from '../replicas/replica-heartbeat';
import { type StoredEvent } from '../session-log/session-events.repository';
import { estimateEventTokens } from '../session-log/session-log';
import { type StreamEvent, turnStartedEvent } from '../streams/stream-event';
import { shuttingDownError, StreamHub } from '../streams/stream-hub';
import { type TurnRun } from '../turns/turn-run';
import { TurnRunner } from '../turns/turn-runner';
import { type ClaimedTurn } from '../turns/turns.repository';
import { type PostEventQuery } from './event.dto';
import { type EventResponse, toEventResponse } from './event.response';
import { type AcceptedEvent, acceptEvent, type EventBody } from './posted-event';
import { StreamResumptionService } from './stream-resumption.service';

const RETRY_AFTER_SECONDS = '1';
/** The schemes that the service accepts. */
const SCHEMES = 'Bearer, ApiKey';

/** The answer to a request whose call of the model was refused. */
export function refusalError(refusal: Refusal, turnId: string): HttpException {
  const { status, message, code, limit, shortfall } = refusal;
  const details = { code, turn_id: turnId, ...(limit !== undefined && { limit }), ...shortfall };
  return new DetailedException(status, message, details, headersOf(refusal));
}

/** Every 429 has `Retry-After` if a wait helps, and every 401 `WWW-Authenticate`, whatever the gateway said. */
function headersOf({ status, retryAfter, retryable }: Refusal): Record<string, string> {
  const pause = retryAfter ?? (status === 429 && retryable ? RETRY_AFTER_SECONDS : undefined);
  return {
    ...(pause !== undefined && { 'Retry-After': pause }),
    ...(status === 401 && { 'WWW-Authenticate': SCHEMES }),
  };
}

/** A request that posts an event. */
interface PostRequest {
  caller: Caller;
  /** The public id of the session. */
  sessionId: string;
  body: EventBody;
  query: PostEventQuery;
  idempotencyKey: string | null;
}

/** How long a request waits for the gateway to accept the call, so that a refusal can still be answered with its status. */
const ADMISSION_MILLIS = 2_000;
/** Response header of a request that was accepted before under its idempotency key. */
const REPLAYED = 'Idempotent-Replayed';
/** The client is to retry at another replica, or later. */
const overloadedError = () => new UnavailableException('too many turns run now', 'overloaded');

/** Takes events from callers, and streams their turns. */
@Injectable()
export class EventPostingService {
  constructor(
    private readonly database: Database,
    private readonly runner: TurnRunner,
    private readonly hub: StreamHub,
    private readonly heartbeat: ReplicaHeartbeat,
    private readonly resumptions: StreamResumptionService,
  ) {}

  /**
   * Stores the event and returns it; its turn runs on in the background. Throws the gateway's refusal if the turn can begin now.
   * A turn that has to wait is left to the queue.
   */
  async post(request: PostRequest, response: Response): Promise<EventResponse> {
    const canRunNow = !this.hub.isShuttingDown && this.runner.hasFreePlace;
    const { event, turn, replayed, claimed } = await this.accept(request, { canRunNow, streams: false });
    if (replayed) response.setHeader(REPLAYED, 'true');
    if (claimed) await this.start(claimed, event);
    return toEventResponse(request.sessionId, event, turn.status);
  }

  /** Stores the event and streams the answer. Throws everything that can be refused before the stream begins. */
  async stream(request: PostRequest, response: Response): Promise<Observable<MessageEvent>> {
    if (this.hub.isShuttingDown) throw shuttingDownError();
    if (needsFreePlace(request.body) && !this.runner.hasFreePlace) throw overloadedError();
    const accepted = await this.accept(request, { canRunNow: true, streams: true });
    const { event, turn, replayed, claimed } = accepted;
    if (replayed) {
      response.setHeader(REPLAYED, 'true');
      await this.resumptions.requireStreamEvents(turn.id);
    }
    if (!claimed) return this.hub.open(request.caller, turn, event.afterPosition, response);
    const run = await this.start(claimed, event);
    if (run.isAbandoned) await this.resumptions.requireTurn(turn.id);
    return this.hub.open(request.caller, turn, event.afterPosition, response, () => eventsBeforeText(run));
  }

  /** Runs a turn that this replica has claimed. Throws the gateway's refusal of the call if it comes in time. */
  private async start(claimed: ClaimedTurn, event: StoredEvent): Promise<TurnRun> {
    // Tool results stay stored if the gateway refuses the call, so their idempotency key is not released.
    const run = this.runner.start(claimed, event.role === 'user' ? event.id : undefined);
    const refusal = await admissionOf(run);
    if (refusal) throw refusalError(refusal, claimed.id);
    run.onAnswered();
    return run;
  }

  private async accept(
    { query, sessionId: publicId, ...request }: PostRequest,
    { canRunNow, streams }: { canRunNow: boolean; streams: boolean },
  ): Promise<AcceptedEvent> {
    const { body } = request;
    const event = {
      ...request,
      publicId,
      onBusy: query.on_busy,
      tokens: estimateEventTokens(
        body.content ?? null,
        ...(body.role === 'tool' ? body.tool_call_results.map(({ content }) => content) : []),
      ),
      replicaId: canRunNow ? this.heartbeat.replicaId : null,
      streams,
    };
    return this.database.transaction((transaction) => acceptEvent(transaction, event));
  }
}

/** The turn of an answer that the caller brings along is complete when it is stored. */
const needsFreePlace = ({ role }: EventBody): boolean => role !== 'assistant';

/** Returns the events of the current call of the model while there is no text; null if there is. */
function eventsBeforeText({ lastPosition, turn }: TurnRun): StreamEvent[] | null {
  if (lastPosition > turn.callPosition) return null;
  return turn.callPosition === 1 ? [turnStartedEvent(turn.id)] : [];
}

/** Resolves with null if the gateway has accepted the call, or has not decided in time. */
async function admissionOf(run: TurnRun): Promise<Refusal | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), ADMISSION_MILLIS)));
  return Promise.race([run.admission, timeout]).finally(() => clearTimeout(timer));
}
