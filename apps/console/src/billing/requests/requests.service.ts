import { BadRequestException, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { idMillis, isTooSlow, type Position, ReadDatabase } from '@inference/database';
import { readPage, UnavailableException } from '@inference/http';
import {
  quantityIn,
  RATE_DIGITS,
  readAccountArchivedUntil,
  readArchivedUntil,
  UNIT_DIGITS,
} from '@inference/metering';
import { decimalToScaled, exactNumber, PICO_DIGITS, picosToDecimal, scaledToDecimal } from '@inference/money';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { storedApiKeyId } from '../../validation/call-filters.decorator';
import { rangeTexts } from '../../validation/time-range.dto';
import {
  type AnyRequestDetailResponse,
  type OperatorFacts,
  type OperatorRequestDetailResponse,
  type OperatorRequestListResponse,
  type RequestDetailResponse,
  type RequestListResponse,
  type RequestResponse,
  type RequestsQuery,
  type RequestStatus,
} from './requests.dto';
import {
  findCallsByClientId,
  findOwnerOfRequest,
  findRequest,
  findUnbilledRequest,
  findUnservedRequest,
  listRequests,
  type LoggedRequest,
  type RequestDetail,
  type RequestFilter,
} from './requests.repository';

const MINUTE_MILLIS = 60_000;
const DAY_MILLIS = 24 * 60 * MINUTE_MILLIS;
/**
 * How long before and after the time in its id a call may have ended, the likely period first. The clock of a gateway may
 * be wrong, and a stream may run for hours. Longer periods make the search for an id that does not exist slower.
 */
const ENDED_WITHIN = [
  { before: 5 * MINUTE_MILLIS, after: 60 * MINUTE_MILLIS },
  { before: DAY_MILLIS, after: 7 * DAY_MILLIS },
];
/** How long one statement may search the calls of all accounts for an id. Chosen: somebody waits; twice as long burdens the database with typos. */
const MOST_SEARCH_MILLIS = 3_000;
const TOO_MANY_CALLS =
  'no call with this id was found in time; check the id, or look for it among the calls of its account';
/** Calls that an export reads at once. Chosen: about 300 kB of CSV. */
const EXPORT_PAGE = 1_000;

/** The calls of an account. */
@Injectable()
export class RequestsService {
  constructor(
    private readonly database: ReadDatabase,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  /** A page of the account's calls, newest first. Throws 400 for an impossible period or a bad cursor. */
  list(accountId: string, query: RequestsQuery): Promise<RequestListResponse> {
    return this.listAs(accountId, query, (row) => this.view(row));
  }

  /** What `list` returns, with what the operator sees. */
  listForOperator(accountId: string, query: RequestsQuery): Promise<OperatorRequestListResponse> {
    return this.listAs(accountId, query, (row) => ({ ...this.view(row), ...operatorFactsOf(row) }));
  }

  private async listAs<View>(
    accountId: string,
    query: RequestsQuery,
    viewOf: (row: LoggedRequest) => View,
  ): Promise<Omit<RequestListResponse, 'requests'> & { requests: View[] }> {
    const filter = filterOf(accountId, query);
    const { rows, nextCursor } = await readPage(`requests ${JSON.stringify(filter)}`, query, (after, count) =>
      this.page(filter, after, count),
    );
    const until = await this.database.read((executor) => readAccountArchivedUntil(executor, accountId));
    return {
      requests: rows.map(viewOf),
      next_cursor: nextCursor,
      ...(until && { archived_until: until.toISOString() }),
    };
  }

  /**
   * All calls that the query selects, newest first; pages after the first are read as they are asked for. Throws 400 for an impossible
   * period, and for one that begins before archived calls of the account or ends in archived time after some.
   */
  async export(accountId: string, query: RequestsQuery): Promise<AsyncIterable<RequestResponse[]>> {
    const filter = filterOf(accountId, query);
    await this.refuseArchived(filter);
    return this.exportFrom(filter, await this.page(filter, null, EXPORT_PAGE));
  }

  private async refuseArchived({ accountId, from, to }: RequestFilter): Promise<void> {
    const until = await this.database.read((executor) =>
      readAccountArchivedUntil(executor, accountId, { from, to }),
    );
    if (!until) return;
    if (from !== undefined)
      throw new BadRequestException(
        `from: must be ${until.toISOString()} or later: the calls before are archived and in no report`,
      );
    const end = (await this.database.read(readArchivedUntil)) ?? until;
    if (to !== undefined && new Date(to) <= end)
      throw new BadRequestException(
        `to: must be after ${end.toISOString()}: the calls before are archived and in no report`,
      );
  }

  private async *exportFrom(
    filter: RequestFilter,
    first: Awaited<ReturnType<typeof listRequests>>,
  ): AsyncGenerator<RequestResponse[]> {
    for (let rows = first; rows.length > 0;) {
      yield rows.map((row) => this.view(row));
      const { position } = rows.at(-1)!;
      rows = await this.page(filter, position, EXPORT_PAGE);
    }
  }

  /** Throws 404 unless the account has made the call. */
  async find(accountId: string, id: string): Promise<RequestDetailResponse> {
    return this.detail(await this.findCall(accountId, id));
  }

  /** What `find` returns, with what the operator sees. */
  async findForOperator(accountId: string, id: string): Promise<OperatorRequestDetailResponse> {
    const found = await this.findCall(accountId, id);
    return { ...this.detail(found), ...operatorFactsOf(found) };
  }

  /** The account that has made a call, or null. Throws 503 if the calls of the likely periods are too many to be searched. */
  async findAccountOf(id: string): Promise<string | null> {
    for (const period of likelyPeriods(id)) {
      const owner = await this.findOwner(id, period);
      if (owner !== null) return owner;
    }
    return null;
  }

  /** The newest call of each account, of at most so many, that its client has named so. */
  findByClientId(clientRequestId: string, accounts: number): Promise<{ id: string; accountId: string }[]> {
    return this.database.readWithin(MOST_SEARCH_MILLIS, (executor) =>
      findCallsByClientId(executor, clientRequestId, accounts),
    );
  }

  /** What `findForOperator` returns of a call of any account. Throws 404 for an unknown one. */
  async findOfAnyAccount(id: string): Promise<AnyRequestDetailResponse> {
    const accountId = await this.findAccountOf(id);
    if (accountId === null) throw new NotFoundException('no such request');
    return { ...(await this.findForOperator(accountId, id)), account_id: accountId };
  }

  private async findOwner(id: string, period: { from: Date; to: Date }): Promise<string | null> {
    try {
      return await this.database.readWithin(MOST_SEARCH_MILLIS, (executor) =>
        findOwnerOfRequest(executor, id, period),
      );
    } catch (error) {
      if (isTooSlow(error)) throw new UnavailableException(TOO_MANY_CALLS, 'too_many_calls');
      throw error;
    }
  }

  private async findCall(accountId: string, id: string): Promise<RequestDetail> {
    const madeAt = idMillis(id);
    for (const period of likelyPeriods(id)) {
      const found = await this.database.read((executor) => findRequest(executor, accountId, id, period));
      if (found) return found;
    }
    const unbilled = await this.database.read((executor) => findUnbilledRequest(executor, accountId, id));
    if (unbilled) return unbilled;
    const unserved = await this.database.read((executor) => findUnservedRequest(executor, accountId, id));
    if (unserved) return unserved;
    const until = await this.database.read((executor) => readAccountArchivedUntil(executor, accountId));
    throw new NotFoundException(
      until && madeAt !== null && madeAt < until.getTime()
        ? `no such request: the calls before ${until.toISOString()} are archived`
        : 'no such request',
    );
  }

  private page(
    filter: RequestFilter,
    after: Position | null,
    count: number,
  ): Promise<Awaited<ReturnType<typeof listRequests>>> {
    return this.database.read((executor) => listRequests(executor, filter, after, count));
  }

  private detail(found: RequestDetail): RequestDetailResponse {
    const { lines, priceListId, effectiveFrom, usdPerUnit, costUsdPicos, usageFault, clientRequestId } =
      found;
    return {
      ...this.view(found),
      client_request_id: clientRequestId,
      usage_fault: usageFault,
      lines: lines.map(({ meter, unit, conditions, quantity, ratePicos, amountPicos }) => ({
        meter,
        unit,
        conditions,
        quantity: exactNumber(quantityIn(unit, quantity)),
        price: exactNumber(scaledToDecimal(ratePicos, PICO_DIGITS - UNIT_DIGITS[unit])),
        amount: exactNumber(picosToDecimal(amountPicos)),
      })),
      price_list: effectiveFrom && { id: String(priceListId), effective_from: effectiveFrom.toISOString() },
      cost_usd: exactNumber(picosToDecimal(costUsdPicos)),
      usd_per_unit:
        usdPerUnit === null
          ? null
          : exactNumber(scaledToDecimal(decimalToScaled(usdPerUnit, RATE_DIGITS), RATE_DIGITS)),
    };
  }

  private view(request: LoggedRequest): RequestResponse {
    return {
      id: request.id,
      created_at: request.occurredAt.toISOString(),
      started_at: request.startedAt.toISOString(),
      model: request.model,
      api_key: request.apiKey,
      entrypoint: request.entrypoint,
      endpoint: request.endpoint,
      input_tokens: request.inputTokens,
      output_tokens: request.outputTokens,
      estimated: request.estimated,
      cost: exactNumber(picosToDecimal(request.costPicos)),
      currency: this.site.currency,
      outcome: request.outcome,
      status: statusOf(request.outcome),
      http_status: request.httpStatus,
      error_code: request.errorCode,
      duration_ms: request.durationMs,
      time_to_first_token_ms: request.timeToFirstTokenMs,
      tokens_per_second: tokensPerSecond(request),
      finish_reason: request.finishReason,
    };
  }
}

/** When the call with this id may have ended, the likely period first. */
function likelyPeriods(id: string): { from: Date; to: Date }[] {
  const madeAt = idMillis(id);
  if (madeAt === null) return [];
  return ENDED_WITHIN.map(({ before, after }) => ({
    from: new Date(madeAt - before),
    to: new Date(madeAt + after),
  }));
}

const operatorFactsOf = ({ upstream, timeToFirstByteMs }: LoggedRequest): OperatorFacts => ({
  upstream,
  time_to_first_byte_ms: timeToFirstByteMs,
});

const statusOf = (outcome: LoggedRequest['outcome']): RequestStatus =>
  outcome === 'refused' || outcome === 'failed' ? outcome : 'charged';

/** Of a stream, from its first token on, to one decimal; a single token has no speed. */
function tokensPerSecond({ outputTokens, durationMs, timeToFirstTokenMs }: LoggedRequest): number | null {
  if (durationMs === null || timeToFirstTokenMs === null || durationMs <= timeToFirstTokenMs) return null;
  const following = Number(outputTokens) - 1;
  if (following < 1) return null;
  return Math.round((following * 10_000) / (durationMs - timeToFirstTokenMs)) / 10;
}

function filterOf(accountId: string, query: RequestsQuery): RequestFilter {
  const {
    model,
    api_key_id: apiKeyId,
    client_request_id: clientRequestId,
    entrypoint,
    outcome,
    status,
  } = query;
  return {
    accountId,
    ...rangeTexts(query),
    model,
    apiKeyId: storedApiKeyId(apiKeyId),
    clientRequestId,
    entrypoint,
    outcome,
    status,
  };
}
