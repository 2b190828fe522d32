import { type Executor, type Transaction } from '@inference/database';
import { ApiKey } from '@inference/guards';
import { LimitDayUse, LimitOverride } from '@inference/rate-limits';
import { Between, IsNull } from 'typeorm';

/** What counts against limits now, of one key or of an account's use of a model. */
export interface SubjectUse {
  /** `key:<id>` or `account:<id>:<model>`. */
  id: string;
  requests: number;
  tokens: number;
  dayTokens: number;
  running: number;
}

const USE = `
  SELECT s.id, coalesce(l.requests, 0)::float8 AS requests, coalesce(l.tokens, 0)::float8 AS tokens,
    CASE WHEN s.day = (clock_timestamp() AT TIME ZONE 'UTC')::date THEN s.day_tokens ELSE 0 END::float8 AS "dayTokens",
    coalesce(p.slots, 0)::float8 AS running
  FROM limits.subjects s
  LEFT JOIN LATERAL (
    SELECT sum(requests) AS requests, sum(tokens) AS tokens FROM limits.slices
    WHERE subject_id = s.id AND ends_at > clock_timestamp() - interval '1 minute'
  ) l ON true
  LEFT JOIN LATERAL (
    SELECT sum(slots) AS slots FROM limits.slots WHERE subject_id = s.id AND expires_at > clock_timestamp()
  ) p ON true
  WHERE s.account_id = $1`;

export async function readUse(executor: Executor, accountId: string): Promise<SubjectUse[]> {
  return (await executor.query<SubjectUse>(USE, [accountId])).rows;
}

/** What was used of limits on these days, by their subjects. */
export function readDayUses(
  executor: Executor,
  accountId: string,
  from: string,
  to: string,
): Promise<LimitDayUse[]> {
  return executor
    .repository(LimitDayUse)
    .find({ where: { accountId, day: Between(from, to) }, order: { subjectId: 'ASC', day: 'ASC' } });
}

/** A key with what limits its pace. */
export type PacedKey = Pick<ApiKey, 'id' | 'requestsPerMinute' | 'tokensPerMinute' | 'maxConcurrency'>;

/** The API keys of an account, newest first. */
export function readPacedKeys(executor: Executor, accountId: string): Promise<PacedKey[]> {
  return executor.repository(ApiKey).find({
    select: { id: true, requestsPerMinute: true, tokensPerMinute: true, maxConcurrency: true },
    where: { accountId, kind: 'api', deletedAt: IsNull() },
    order: { createdAt: 'DESC', id: 'DESC' },
  });
}

const STANDING = `
  SELECT trunc(paid_picos / 1e12, 6)::float8 AS paid, age_seconds / 86400 AS "ageDays" FROM limits.standing_of($1)`;

/** What decides the tier of an account; `ageDays` is null for an unknown account. */
export async function readStanding(
  executor: Executor,
  accountId: string,
): Promise<{ paid: number; ageDays: number | null }> {
  const { rows } = await executor.query<{ paid: number; ageDays: number | null }>(STANDING, [accountId]);
  return rows[0]!;
}

/** Those that have not ended, by their models. */
export function readOverrides(executor: Executor, accountId: string): Promise<LimitOverride[]> {
  return executor
    .repository(LimitOverride)
    .createQueryBuilder('override')
    .where('override.accountId = :accountId', { accountId })
    .andWhere('(override.endsAt IS NULL OR override.endsAt > clock_timestamp())')
    .orderBy('override.model')
    .getMany();
}

/** Sets the limits of an account for a model. A trigger tells the gateways. */
export async function storeOverride(
  transaction: Transaction,
  override: Omit<LimitOverride, 'setAt'>,
): Promise<void> {
  const columns = [
    ...['requests_per_minute', 'tokens_per_minute', 'tokens_per_day', 'max_concurrency'],
    ...['reason', 'set_by', 'set_at', 'ends_at'],
  ];
  await transaction
    .repository(LimitOverride)
    .createQueryBuilder()
    .insert()
    .values({ ...override, setAt: () => 'clock_timestamp()' })
    .orUpdate(columns, ['account_id', 'model'])
    .execute();
}

/** Returns false if the account has none for the model. */
export async function deleteOverride(
  transaction: Transaction,
  key: { accountId: string; model: string },
): Promise<boolean> {
  const { affected } = await transaction.repository(LimitOverride).delete(key);
  return affected === 1;
}
