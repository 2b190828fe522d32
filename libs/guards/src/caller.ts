import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import { type Role } from './staff/staff-table';

/** How fast an API key may call models. Null: no such limit. */
export interface KeyPace {
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  maxConcurrency: number | null;
}

/** The account on whose behalf a request is made, as its credential proves. An app may add fields by module augmentation. */
export interface Caller {
  accountId: string;
  role: Role;
  /** Set if the credential was a session token. */
  sessionId?: string;
  /**
   * Set for a session of staff that must have a second factor and has shown none. It has the role `user`, and opens only the routes
   * with which its owner can set a second factor up (`@SecondFactorSetup()`).
   */
  lacksSecondFactor?: boolean;
  /**
   * Set if the credential was an API key, or a service acts on behalf of one. `allowedModels` null: all models (see allowsModel);
   * `reportsCost`: whether the answers of models tell their price; `allowedIps` absent: all addresses; `pace` absent: none of its own.
   */
  apiKey?: {
    id: string;
    spendLimited: boolean;
    allowedModels: string[] | null;
    reportsCost: boolean;
    allowedIps?: string[];
    pace?: KeyPace;
  };
  /** Set if the credential was a management key. */
  managementKeyId?: string;
  /** Set if one of the platform's own services acts on behalf of the account. */
  service?: string;
  /** Set for staff in the place of the account (see AccountViews). */
  isView?: true;
  /** Set if the account wants responses of models stored. Known for API keys and services only. */
  storesResponses?: true;
  /** Set if staff has suspended the account. The guard lets no such caller through. */
  isSuspended?: true;
}

/** What a suspended account adds to its caller. */
export const SUSPENDED: Pick<Caller, 'isSuspended'> = { isSuspended: true };

declare module 'express' {
  interface Request {
    caller?: Caller;
  }
}

/**
 * The id of the caller's API key if that is restricted, by a spending limit, a list of models or of addresses, or a pace. Such a caller
 * sees what this key did, and nothing else of its account, whatever the role of the account. Null for every other caller, who acts for the
 * whole account.
 */
export function restrictedKeyIdOf({ apiKey }: Caller): string | null {
  if (apiKey === undefined) return null;
  const { id, spendLimited, allowedModels, allowedIps, pace } = apiKey;
  const isRestricted =
    spendLimited || allowedModels !== null || allowedIps !== undefined || pace !== undefined;
  return isRestricted ? id : null;
}

/** Whether the caller's API key may use a model. An entry of its list that ends with `*` allows every slug that begins like it. */
export function allowsModel({ apiKey }: Caller, slug: string): boolean {
  const allowed = apiKey?.allowedModels;
  if (!allowed || allowed.includes(slug)) return true;
  return allowed.some((entry) => entry.endsWith('*') && slug.startsWith(entry.slice(0, -1)));
}

/** The caller of a request. Throws if the route is public or was called by a service for no account. */
export function callerOf({ caller }: Request): Caller {
  if (!caller)
    throw new Error('The route has no caller: it is public, or its credential acts for no account.');
  return caller;
}

/** Parameter decorator: the caller of the request (see callerOf). */
export const CurrentCaller = createParamDecorator((_data: unknown, context: ExecutionContext): Caller =>
  callerOf(context.switchToHttp().getRequest<Request>()),
);
