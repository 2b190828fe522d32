import { ForbiddenException } from '@nestjs/common';
import { type Caller, restrictedKeyIdOf, type Role } from '@inference/guards';
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
