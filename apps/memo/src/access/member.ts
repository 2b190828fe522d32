import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import { type WorkspaceRole } from '../tables/workspace.entity';

/** The caller's membership in the workspace of the request. The guard has checked that it exists. */
export interface Member {
  workspaceId: string;
  accountId: string;
  /** The member's role; for a key, the lower one of the key's role and the member's role. */
  role: WorkspaceRole;
  /** The workspace key that was used; null for a session. */
  keyId: string | null;
}

declare module 'express' {
  interface Request {
    member?: Member;
  }
}

/** The membership of the caller. Only for routes with `@RequiresRole`. */
export const CurrentMember = createParamDecorator((_data: unknown, context: ExecutionContext): Member => {
  const { member } = context.switchToHttp().getRequest<Request>();
  if (!member) throw new Error('A route asked for a member and does not say which role it needs.');
  return member;
});
