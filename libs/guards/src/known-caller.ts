import { HttpException } from '@nestjs/common';
import { Networks } from './api-keys/networks';
import { type Caller, SUSPENDED } from './caller';
import { type AccountRole, type ApiKey } from './credentials.entity';
import { type KeyState } from './credentials.repository';

/** The caller that a credential stands for, and whether it may be used. */
export interface KnownCaller {
  caller: Caller;
  isDisabled: boolean;
  /** On the clock of performance.now(); infinite: never. */
  endsAtMillis: number;
  /** Whether its end is that of a secret that a rotation has replaced. */
  isFormer: boolean;
  /** From where its key may be used; null: from everywhere. */
  networks: Networks | null;
}

/** The caller of an account without its credential. */
export const holderOf = (
  accountId: string,
  { role, suspendedAt, storesResponses }: Omit<AccountRole, 'id'>,
): Caller => ({
  accountId,
  role,
  ...(suspendedAt && SUSPENDED),
  ...(storesResponses && { storesResponses }),
});

/**
 * What is known of an API key.
 * @param holder without a role of the staff: a key may lie in any script or repository
 * @param askedAtMillis performance.now() before the database was asked
 */
export function knownCallerOf(
  holder: Caller,
  key: ApiKey,
  { endsInMillis, isDisabled, isFormer }: KeyState & { isFormer: boolean },
  askedAtMillis: number,
): KnownCaller {
  const { id, spendLimitPicos, allowedModels, reportsCost, allowedIps } = key;
  const { requestsPerMinute, tokensPerMinute, maxConcurrency, kind } = key;
  const hasPace = requestsPerMinute !== null || tokensPerMinute !== null || maxConcurrency !== null;
  const apiKey: NonNullable<Caller['apiKey']> = {
    id,
    spendLimited: spendLimitPicos !== null,
    allowedModels,
    reportsCost,
    ...(allowedIps && { allowedIps }),
    ...(hasPace && { pace: { requestsPerMinute, tokensPerMinute, maxConcurrency } }),
  };
  return {
    caller: { ...holder, role: 'user', ...(kind === 'management' ? { managementKeyId: id } : { apiKey }) },
    isDisabled,
    endsAtMillis: endsInMillis === null ? Infinity : askedAtMillis + endsInMillis,
    isFormer,
    networks: allowedIps && new Networks(allowedIps),
  };
}

/** An account for which a service acts without a key. */
export const knownWithoutKey = (caller: Caller): KnownCaller => ({
  caller,
  isDisabled: false,
  endsAtMillis: Infinity,
  isFormer: false,
  networks: null,
});

type KeyFault = 'api_key_disabled' | 'api_key_expired' | 'ip_not_allowed';

const KEY_FAULTS: Record<KeyFault, [status: number, message: string]> = {
  api_key_disabled: [401, 'this API key is disabled'],
  api_key_expired: [401, 'this API key has expired'],
  ip_not_allowed: [403, 'this API key must not be used from this address'],
};

/** Refuses a key that exists. Only the gateway's errors have room for the code. */
export class KeyRefusedException extends HttpException {
  constructor(readonly code: KeyFault) {
    const [status, message] = KEY_FAULTS[code];
    super(message, status);
  }
}

/** The caller, unless its key has ended: null for a secret that was replaced. Throws 401 if the key is disabled or has expired. */
export function callerIfValid({ caller, isDisabled, endsAtMillis, isFormer }: KnownCaller): Caller | null {
  if (isDisabled) throw new KeyRefusedException('api_key_disabled');
  if (performance.now() < endsAtMillis) return caller;
  if (isFormer) return null;
  throw new KeyRefusedException('api_key_expired');
}

/** Throws 403 if the key is bound to other addresses. */
export function requireAllowedAddress({ networks }: KnownCaller, address: string | undefined): void {
  if (networks && !networks.contains(address)) throw new KeyRefusedException('ip_not_allowed');
}
