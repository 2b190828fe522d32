import { Database } from '@inference/database';
import {
  type LimitDayUse,
  type LimitOverride,
  type LimitTier,
  limitsOfModelIn,
  type ModelLimits,
  tierIndexOf,
} from '@inference/rate-limits';
import { instantText } from '@inference/time';
import { BadRequestException, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { readAccount } from '../../accounts/accounts.repository';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { LIMIT_TIERS } from '../identity.config';
import {
  type AccountLimitsResponse,
  type HistoryDays,
  historyDaysOf,
  type LimitHistoryLine,
  type LimitHistoryResponse,
  type LimitName,
  type LimitResponse,
  type LimitsResponse,
  type OverrideResponse,
  type SetOverrideDto,
} from './limits.dto';
import {
  deleteOverride,
  readDayUses,
  readOverrides,
  readPacedKeys,
  readStanding,
  readUse,
  storeOverride,
  type SubjectUse,
} from './limits.repository';

const EACH_OTHER_MODEL = '*';
const KEY_PREFIX = 'key:';
const NO_USE: Omit<SubjectUse, 'id'> = { requests: 0, tokens: 0, dayTokens: 0, running: 0 };

type Place = Omit<LimitResponse, 'name' | 'limit' | 'used'>;

/** A line for each limit that there is. */
function linesOf(place: Place, limits: ModelLimits, use: Omit<SubjectUse, 'id'> = NO_USE): LimitResponse[] {
  const all: [LimitName, number | null, number][] = [
    ['requests_per_minute', limits.requestsPerMinute, use.requests],
    ['tokens_per_minute', limits.tokensPerMinute, use.tokens],
    ['tokens_per_day', limits.tokensPerDay, use.dayTokens],
    ['concurrency', limits.maxConcurrency, use.running],
  ];
  return all.flatMap(([name, limit, used]) => (limit === null ? [] : [{ ...place, name, limit, used }]));
}

/** Each limit of a day: what was used of it, and how often it refused. */
const dayLinesOf = (use: LimitDayUse): [LimitName, bigint | number | null, bigint | number, bigint][] => [
  ['requests_per_minute', use.requestLimit, use.requests, use.refusedRequests],
  ['tokens_per_minute', use.tokenLimit, use.tokens, use.refusedTokens],
  // A limit that has fallen since is used up.
  ['tokens_per_day', use.dayLimit, lesser(use.dayTokens, use.dayLimit), use.refusedDay],
  ['concurrency', use.runningLimit, use.running, use.refusedRunning],
];

const lesser = (used: bigint, limit: bigint | null): bigint =>
  limit !== null && limit < used ? limit : used;

const limitsIn = (override: LimitOverride): ModelLimits => ({
  requestsPerMinute: override.requestsPerMinute,
  tokensPerMinute: override.tokensPerMinute,
  tokensPerDay: override.tokensPerDay === null ? null : Number(override.tokensPerDay),
  maxConcurrency: override.maxConcurrency,
});

const shownTier = ({ name, paid, ageDays }: LimitTier) => ({ name, paid, age_days: ageDays });

const shownOverride = (override: LimitOverride): OverrideResponse => {
  const limits = limitsIn(override);
  return {
    model: override.model,
    rpm: limits.requestsPerMinute,
    tpm: limits.tokensPerMinute,
    tpd: limits.tokensPerDay,
    max_concurrency: limits.maxConcurrency,
    reason: override.reason,
    set_by: override.setBy,
    set_at: override.setAt.toISOString(),
    ends_at: override.endsAt?.toISOString() ?? null,
  };
};

@Injectable()
export class LimitsService {
  constructor(
    private readonly database: Database,
    @Inject(LIMIT_TIERS) private readonly tiers: LimitTier[],
  ) {}

  async read(accountId: string): Promise<LimitsResponse> {
    const { overrides: _forStaff, ...limits } = await this.readAll(accountId);
    return limits;
  }

  /** Throws 404 for an unknown account. */
  async readForStaff(accountId: string): Promise<AccountLimitsResponse> {
    await this.requireAccount(accountId);
    return this.readAll(accountId);
  }

  async readHistory(accountId: string, query: Partial<HistoryDays>): Promise<LimitHistoryResponse> {
    const days = historyDaysOf(query);
    const prefix = `account:${accountId}:`;
    const lines = new Map<string, LimitHistoryLine>();
    for (const use of await readDayUses(this.database, accountId, days.from, days.to)) {
      const { subjectId, day } = use;
      const place = subjectId.startsWith(prefix)
        ? ({ scope: 'account', model: subjectId.slice(prefix.length), api_key_id: null } as const)
        : ({ scope: 'key', model: null, api_key_id: subjectId.slice(KEY_PREFIX.length) } as const);
      for (const [name, limit, used, refusals] of dayLinesOf(use)) {
        if (limit === null) continue;
        const id = `${name} ${subjectId}`;
        const line = lines.get(id) ?? { ...place, name, days: [] };
        lines.set(id, line);
        line.days.push({ day, limit: Number(limit), used: Number(used), refusals: Number(refusals) });
      }
    }
    return { ...days, limits: [...lines.values()] };
  }

  /** Throws 404 for an unknown account. */
  async readHistoryForStaff(accountId: string, query: Partial<HistoryDays>): Promise<LimitHistoryResponse> {
    await this.requireAccount(accountId);
    return this.readHistory(accountId, query);
  }

  /** Throws 404 for an unknown account. The gateways obey within two seconds. */
  async set(
    { accountId: setBy, origin }: Actor,
    accountId: string,
    input: SetOverrideDto,
  ): Promise<AccountLimitsResponse> {
    await this.requireAccount(accountId);
    const endsAt = input.ends_at == null ? null : new Date(instantText(input.ends_at));
    if (endsAt && endsAt.getTime() <= Date.now())
      throw new BadRequestException('ends_at: must be in the future');
    const model = input.model ?? EACH_OTHER_MODEL;
    const { rpm = null, tpm = null, tpd = null, max_concurrency: concurrency = null, reason } = input;
    await this.database.transaction(async (transaction) => {
      await storeOverride(transaction, {
        ...{ accountId, model, reason, setBy, endsAt },
        requestsPerMinute: rpm,
        tokensPerMinute: tpm,
        tokensPerDay: tpd === null ? null : BigInt(tpd),
        maxConcurrency: concurrency,
      });
      const details = {
        model,
        rpm,
        tpm,
        tpd,
        max_concurrency: concurrency,
        reason,
        ends_at: endsAt?.toISOString() ?? null,
      };
      const event = { type: 'admin.limits_set', accountId, actorId: setBy, origin, details } as const;
      await recordAuditEvent(transaction, event);
    });
    return this.readAll(accountId);
  }

  /** Throws 404 if staff has set none for the model. */
  async remove(
    { accountId: actorId, origin }: Actor,
    accountId: string,
    model = EACH_OTHER_MODEL,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      if (!(await deleteOverride(transaction, { accountId, model })))
        throw new NotFoundException('staff has set no limits of this account and model');
      const event = { type: 'admin.limits_removed', accountId, actorId, origin, details: { model } } as const;
      await recordAuditEvent(transaction, event);
    });
  }

  private async readAll(accountId: string): Promise<AccountLimitsResponse> {
    const [standing, overrides, uses, keys] = await Promise.all([
      readStanding(this.database, accountId),
      readOverrides(this.database, accountId),
      readUse(this.database, accountId),
      readPacedKeys(this.database, accountId),
    ]);
    const { paid, ageDays } = { ...standing, ageDays: standing.ageDays ?? 0 };
    const index = tierIndexOf(this.tiers, { paid, ageDays });
    const tier = this.tiers[index] ?? null;
    const next = this.tiers[index + 1] ?? null;
    const useOf = new Map(uses.map(({ id, ...use }) => [id, use]));
    const limits = [
      ...this.accountLines(accountId, tier, overrides, useOf),
      ...keys.flatMap(({ id, requestsPerMinute, tokensPerMinute, maxConcurrency }) =>
        linesOf(
          { scope: 'key', model: null, api_key_id: id, set_by_staff: false },
          { requestsPerMinute, tokensPerMinute, tokensPerDay: null, maxConcurrency },
          useOf.get(KEY_PREFIX + id),
        ),
      ),
    ];
    return {
      tier: tier && shownTier(tier),
      next_tier: next && shownTier(next),
      paid,
      age_days: Math.floor(ageDays),
      limits,
      overrides: overrides.map(shownOverride),
    };
  }

  /** Of each model that has limits of its own or was used lately, and of all others. */
  private accountLines(
    accountId: string,
    tier: LimitTier | null,
    overrides: LimitOverride[],
    useOf: Map<string, Omit<SubjectUse, 'id'>>,
  ): LimitResponse[] {
    const prefix = `account:${accountId}:`;
    const used = [...useOf.keys()].filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length));
    const byModel = Object.fromEntries(overrides.map((override) => [override.model, override]));
    const ofTier = tier?.models ?? {};
    const models = new Set([...Object.keys(ofTier), ...Object.keys(byModel), ...used].sort());
    return [...models].flatMap((model) => {
      const override = limitsOfModelIn(byModel, model);
      const limits = override ? limitsIn(override) : limitsOfModelIn(ofTier, model);
      const place = {
        scope: 'account',
        model,
        api_key_id: null,
        set_by_staff: override !== undefined,
      } as const;
      return limits ? linesOf(place, limits, useOf.get(prefix + model)) : [];
    });
  }

  private async requireAccount(accountId: string): Promise<void> {
    if (!(await readAccount(this.database, accountId))) throw new NotFoundException('no such account');
  }
}
