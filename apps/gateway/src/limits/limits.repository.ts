import { type Executor } from '@inference/database';
import { type ModelLimits } from '@inference/rate-limits';

/** Which limit of a subject refuses. */
export type RateName = 'requests' | 'tokens' | 'day';

export interface SliceDraw {
  subjectId: string;
  accountId: string;
  sliceId: string;
  limits: ModelLimits;
  requests: number;
  tokens: number;
  wantRequests: number;
  wantTokens: number;
  lifeSeconds: number;
  windowSeconds: number;
  used: { id: string; requests: number; tokens: number }[];
  debt: number;
}

export interface SliceGrant {
  requests: number;
  tokens: number;
  /** Null if the slice was granted. */
  refusal: RateName | null;
  waitSeconds: number | null;
  /** What is left of the limits after the grant; null: no limit. */
  freeRequests: number | null;
  freeTokens: number | null;
  /** Until all of it is free again. */
  resetRequestsSeconds: number;
  resetTokensSeconds: number;
}

const DRAW = `
  SELECT requests::float8, tokens::float8, refusal, wait_seconds AS "waitSeconds", free_requests::float8 AS "freeRequests",
    free_tokens::float8 AS "freeTokens", reset_requests_seconds AS "resetRequestsSeconds",
    reset_tokens_seconds AS "resetTokensSeconds"
  FROM limits.draw($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`;

/** Draws a slice of a subject's limits, or only reports what was used of others if nothing is needed. */
export async function drawSlice(executor: Executor, draw: SliceDraw): Promise<SliceGrant> {
  const { limits } = draw;
  const { rows } = await executor.query<SliceGrant>({
    name: 'draw_slice',
    text: DRAW,
    values: [
      ...[draw.subjectId, draw.accountId, draw.sliceId],
      ...[limits.requestsPerMinute, limits.tokensPerMinute, limits.tokensPerDay],
      ...[draw.requests, draw.tokens, draw.wantRequests, draw.wantTokens],
      ...[draw.lifeSeconds, draw.windowSeconds, JSON.stringify(draw.used), draw.debt],
    ],
  });
  return rows[0]!;
}

export interface SlotsWish {
  subjectId: string;
  accountId: string;
  holder: string;
  limit: number;
  want: number;
  ttlSeconds: number;
}

const HOLD_SLOTS = 'SELECT slots, elsewhere FROM limits.hold_slots($1, $2, $3, $4, $5, $6)';

interface HeldSlots {
  slots: number;
  /** What other processes hold. */
  elsewhere: number;
}

/** Sets how many calls a process may run at a time. Returns how many it got. */
export async function holdSlots(executor: Executor, wish: SlotsWish): Promise<HeldSlots> {
  const { subjectId, accountId, holder, limit, want, ttlSeconds } = wish;
  const values = [subjectId, accountId, holder, limit, want, ttlSeconds];
  const { rows } = await executor.query<HeldSlots>({ name: 'hold_slots', text: HOLD_SLOTS, values });
  return rows[0]!;
}

/** What a limit counts, as its name says it. */
export type LimitedUnit = 'requests_per_minute' | 'tokens_per_minute' | 'tokens_per_day' | 'concurrency';

/** What this process has admitted and refused of a subject in one part of the window. */
export interface PartUse {
  subjectId: string;
  accountId: string;
  limits: ModelLimits;
  requests: number;
  tokens: number;
  /** The most that ran at a time. */
  running: number;
  refusals: Partial<Record<LimitedUnit, number>>;
}

const NOTE_USES = 'SELECT limits.note_use($1, $2) AS seconds';

/** Adds to the history of limits. Returns the time of the database in milliseconds since 1970. */
export async function noteUses(
  executor: Executor,
  windowSeconds: number,
  uses: readonly (PartUse & { part: number })[],
): Promise<number> {
  const told = uses.map(({ subjectId, accountId, part, limits, requests, tokens, running, refusals }) => ({
    ...{ id: subjectId, account_id: accountId, part, requests, tokens, running },
    request_limit: limits.requestsPerMinute,
    token_limit: limits.tokensPerMinute,
    running_limit: limits.maxConcurrency,
    day_limit: limits.tokensPerDay,
    refused_requests: refusals.requests_per_minute ?? 0,
    refused_tokens: refusals.tokens_per_minute ?? 0,
    refused_running: refusals.concurrency ?? 0,
    refused_day: refusals.tokens_per_day ?? 0,
  }));
  const values = [windowSeconds, JSON.stringify(told)];
  const { rows } = await executor.query<{ seconds: number }>({ name: 'note_uses', text: NOTE_USES, values });
  return rows[0]!.seconds * 1000;
}

const STANDING = `
  SELECT trunc(paid_picos / 1e12, 6)::float8 AS paid, age_seconds / 86400 AS "ageDays" FROM limits.standing_of($1)`;

/** What decides the tier of an account. */
export async function readStanding(
  executor: Executor,
  accountId: string,
): Promise<{ paid: number; ageDays: number | null }> {
  const { rows } = await executor.query<{ paid: number; ageDays: number | null }>(STANDING, [accountId]);
  return rows[0]!;
}

/** Limits that staff has set for an account and a model. */
export interface Override extends ModelLimits {
  accountId: string;
  model: string;
  /** Null: until staff ends it. */
  endsInMillis: number | null;
}

const OVERRIDES = `
  SELECT account_id AS "accountId", model, requests_per_minute AS "requestsPerMinute", tokens_per_minute AS "tokensPerMinute",
    tokens_per_day::float8 AS "tokensPerDay", max_concurrency AS "maxConcurrency",
    extract(epoch FROM ends_at - clock_timestamp())::float8 * 1000 AS "endsInMillis"
  FROM limits.overrides WHERE ends_at IS NULL OR ends_at > clock_timestamp()`;

/** Those that are in force. */
export async function readOverrides(executor: Executor): Promise<Override[]> {
  return (await executor.query<Override>(OVERRIDES)).rows;
}
