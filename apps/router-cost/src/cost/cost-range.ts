import { type Caller, restrictedKeyIdOf, type Role } from '@inference/guards';
import { type InstantMicros, startOfMonth } from '@inference/time';
import { BadRequestException, ForbiddenException } from '@nestjs/common';
import { type CostQuery } from './cost.dto';

/** What a report covers: all accounts, one account, or one API key of an account. */
export type CostScope = { accountId: string; apiKeyId: string | null } | { accountId: null; apiKeyId: null };

const ALL_ACCOUNTS: CostScope = { accountId: null, apiKeyId: null };
const ROLES_THAT_SEE_ALL: readonly Role[] = ['admin', 'analyst'];

/**
 * What the report of a caller covers. A restricted API key sees its own calls, whatever it asks for. Throws ForbiddenException if
 * another caller asks for all accounts and its role does not see them.
 */
export function scopeOf(caller: Caller, { accounts }: Pick<CostQuery, 'accounts'>): CostScope {
  const { accountId, role, service } = caller;
  const apiKeyId = restrictedKeyIdOf(caller);
  if (apiKeyId !== null) return { accountId, apiKeyId };
  const seesAll = ROLES_THAT_SEE_ALL.includes(role);
  if (accounts === 'all' && !seesAll)
    throw new ForbiddenException('accounts: only the roles admin and analyst see the cost of all accounts');
  // A service that acts for an account shows it to its owner, so it has to ask for more expressly.
  const wanted = accounts ?? (seesAll && service === undefined ? 'all' : 'own');
  return wanted === 'all' ? ALL_ACCOUNTS : { accountId, apiKeyId: null };
}

/** Half-open: includes `from`, excludes `to`. `to` null: up to now. */
export interface CostRange {
  from: InstantMicros;
  to: InstantMicros | null;
}

/** Returns the range of a query; `from` defaults to the start of the month. Throws 400 for an empty range. */
export function rangeOf({
  from,
  to,
  time_zone: zone,
}: Pick<CostQuery, 'from' | 'to' | 'time_zone'>): CostRange {
  const range = { from: from ?? startOfMonth(new Date(), zone), to: to ?? null };
  if (range.to === null || range.from < range.to) return range;
  throw new BadRequestException(
    from === undefined
      ? 'to: must be later than the start of the current month, unless from is given'
      : 'from: must be earlier than to',
  );
}
