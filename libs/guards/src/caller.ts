import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';

export type Role = 'user' | 'analyst' | 'admin';

/** The account on whose behalf a request is made, as its credential proves. An app may add fields by module augmentation. */
export interface Caller {
  accountId: string;
  role: Role;
  /** Set if the credential was a session token. */
  sessionId?: string;
  /**
   * Set if the credential was an API key, or a service acts on behalf of one. `allowedModels` null: all models; `reportsCost`: whether the
   * answers of models tell their price.
   */
  apiKey?: { id: string; spendLimited: boolean; allowedModels: string[] | null; reportsCost: boolean };
  /** Set if one of the platform's own services acts on behalf of the account. */
  service?: string;
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
 * The id of the caller's API key if that is restricted, by a spending limit or a list of models. Such a caller sees what this key did,
 * and nothing else of its account, whatever the role of the account. Null for every other caller, who acts for the whole account.
 */
export function restrictedKeyIdOf({ apiKey }: Caller): string | null {
  const isRestricted = apiKey !== undefined && (apiKey.spendLimited || apiKey.allowedModels !== null);
  return isRestricted ? apiKey.id : null;
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
