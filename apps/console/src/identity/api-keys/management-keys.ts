import { type Executor, type Transaction } from '@inference/database';
import { type ApiKey } from '@inference/guards';
import { DetailedException } from '@inference/http';
import { picosToDecimal } from '@inference/money';
import { createParamDecorator, type ExecutionContext, UnauthorizedException } from '@nestjs/common';
import { type Request } from 'express';
import { type Actor, originOf } from '../../accounts/audit-log/actor';
import { lockLiveSession } from '../sessions/sessions.repository';
import { type ApiKeySettings, findManagementKey } from './api-keys.repository';

/** Who manages keys: a person, who has a session, or a management key. */
export type KeyManager = Pick<Actor, 'accountId' | 'origin'> &
  ({ sessionId: string; managementKeyId?: undefined } | { sessionId?: undefined; managementKeyId: string });

export const CurrentKeyManager = createParamDecorator(
  (_data: unknown, context: ExecutionContext): KeyManager => {
    const request = context.switchToHttp().getRequest<Request>();
    const { accountId, sessionId, managementKeyId } = request.caller ?? {};
    if (accountId === undefined)
      throw new Error('CurrentKeyManager is used on a route without a credential.');
    const common = { accountId, origin: originOf(request) };
    if (managementKeyId !== undefined) return { ...common, managementKeyId };
    if (sessionId !== undefined) return { ...common, sessionId };
    throw new Error('CurrentKeyManager is used on a route that accepts other credentials.');
  },
);

/** What a management key says of the keys that it makes. */
export type KeyRules = Pick<
  ApiKeySettings,
  | 'spendLimitPicos'
  | 'spendPeriod'
  | 'allowedModels'
  | 'requestsPerMinute'
  | 'tokensPerMinute'
  | 'maxConcurrency'
>;

const rulesOf = (key: ApiKey): KeyRules => ({
  spendLimitPicos: key.spendLimitPicos,
  spendPeriod: key.spendPeriod,
  allowedModels: key.allowedModels,
  requestsPerMinute: key.requestsPerMinute,
  tokensPerMinute: key.tokensPerMinute,
  maxConcurrency: key.maxConcurrency,
});

/** The rules for who manages keys, as they are now; null for a person, who has none. Throws 401 if the management key has just ended. */
export async function readRules(
  executor: Executor,
  { accountId, managementKeyId }: KeyManager,
): Promise<KeyRules | null> {
  if (managementKeyId === undefined) return null;
  const key = await findManagementKey(executor, { accountId, id: managementKeyId });
  if (!key || key.disabledAt || key.suspendedAt)
    throw new UnauthorizedException('the management key has just ended');
  return rulesOf(key);
}

/** As readRules, for what makes a secret: a session that has just ended makes none, either. The caller has locked the account. */
export async function requireLiveManager(
  transaction: Transaction,
  manager: KeyManager,
): Promise<KeyRules | null> {
  const { accountId, sessionId } = manager;
  if (sessionId !== undefined && !(await lockLiveSession(transaction, { accountId, sessionId })))
    throw new UnauthorizedException('the session has just ended');
  return readRules(transaction, manager);
}

/** 403: a management key goes beyond what its owner has set. */
export class BeyondRulesException extends DetailedException {
  constructor(message: string) {
    super(403, message, { code: 'management_key_exceeded' });
  }
}

/** A change that lets nobody do more with the key. */
export function isHarmless({
  name: _name,
  description: _description,
  tags: _tags,
  disabledAt,
  ...more
}: Partial<ApiKeySettings>): boolean {
  return disabledAt !== null && Object.keys(more).length === 0;
}

/** Throws 403 if a key can do more than the rules allow. */
export function requireWithin(rules: KeyRules, key: ApiKeySettings): void {
  const faults = [
    isSpendingWithin(rules, key) ? null : spendingFault(rules),
    areModelsWithin(rules, key) ? null : `allowed_models: must be among ${rules.allowedModels!.join(', ')}`,
    paceFault('rpm', rules.requestsPerMinute, key.requestsPerMinute),
    paceFault('tpm', rules.tokensPerMinute, key.tokensPerMinute),
    paceFault('max_concurrency', rules.maxConcurrency, key.maxConcurrency),
  ].filter((fault) => fault !== null);
  if (faults.length > 0) throw new BeyondRulesException(`${faults.join('; ')}: so says the management key`);
}

/** An amount in all is never more than the same amount in each period. */
function isSpendingWithin(rules: KeyRules, key: KeyRules): boolean {
  if (rules.spendLimitPicos === null) return true;
  if (key.spendLimitPicos === null || key.spendLimitPicos > rules.spendLimitPicos) return false;
  return key.spendPeriod === 'total' || key.spendPeriod === rules.spendPeriod;
}

function spendingFault({ spendLimitPicos, spendPeriod }: KeyRules): string {
  const periods = spendPeriod === 'total' ? 'total' : `${spendPeriod} or total`;
  return `spend_limit: must be at most ${picosToDecimal(spendLimitPicos!)}, with the period ${periods}`;
}

function areModelsWithin(rules: KeyRules, key: KeyRules): boolean {
  const { allowedModels } = rules;
  if (allowedModels === null) return true;
  if (key.allowedModels === null) return false;
  return key.allowedModels.every((entry) => allowedModels.some((allowed) => covers(allowed, entry)));
}

/** Whether one entry of a list of models allows all that another one allows. */
const covers = (allowed: string, entry: string): boolean =>
  allowed === entry || (allowed.endsWith('*') && entry.startsWith(allowed.slice(0, -1)));

const paceFault = (name: string, most: number | null, value: number | null): string | null =>
  most === null || (value !== null && value <= most) ? null : `${name}: must be at most ${most}`;
