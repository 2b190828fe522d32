import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';

export type Role = 'user' | 'analyst' | 'admin';

/** Who makes a request, as its credential proved. */
export interface Caller {
  accountId: string;
  role: Role;
  /** The session, when the credential was one. */
  sessionId?: string;
  /** The key, when the credential was one, or a service acts on behalf of one. */
  apiKey?: { id: string; spendLimited: boolean; allowedModels: string[] | null };
  /** The key of a memo workspace, when the credential was one; the account is its maker's. */
  workspaceKey?: { id: string; workspaceId: string };
  /** The platform's own service that acts on behalf of the account. */
  service?: string;
}

declare module 'express' {
  interface Request {
    caller?: Caller;
  }
}

export const CurrentCaller = createParamDecorator((_data: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<Request>();
  if (!caller) throw new Error('A route asked for its caller, whom no credential named.');
  return caller;
});
