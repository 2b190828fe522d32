import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import { type WorkspaceRole } from './workspace-role';

/** Who asks something of a workspace, which therefore exists, and whose member he is. */
export interface Member {
  workspaceId: string;
  accountId: string;
  /** Of the key, when one was used: never above its maker's. */
  role: WorkspaceRole;
  /** The workspace's key that was used; null for a session. */
  keyId: string | null;
}

declare module 'express' {
  interface Request {
    member?: Member;
  }
}

/** On routes with `@Needs`. */
export const CurrentMember = createParamDecorator((_data: unknown, context: ExecutionContext): Member => {
  const { member } = context.switchToHttp().getRequest<Request>();
  if (!member) throw new Error('A route asked for a member and does not say which role it needs.');
  return member;
});
