import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { type Request } from 'express';
import { findRole } from './roles';
import { type WorkspaceRole } from './workspace-role';

const NEEDED_ROLE = 'needed-role';
/** Lets in who is a member of the workspace in the path; for anybody else there is no such workspace. */
@Injectable()
export class WorkspaceGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(SQL_POOL) private readonly pool: SqlPool,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const needed = this.reflector.getAllAndOverride<WorkspaceRole>(NEEDED_ROLE, [
      context.getHandler(),
      context.getClass(),
    ]);
    const request = context.switchToHttp().getRequest<Request<{ workspace_id: string }>>();
    const { caller, params } = request;
    if (!caller) throw new Error('A route of a workspace has no caller.');
    const keyId = caller.workspaceKey?.id ?? null;
    const who = { workspaceId: params.workspace_id, accountId: caller.accountId, keyId };
    request.member = { ...who, role: await findRole(this.pool, who, needed) };
    return true;
  }
}

/** The route, or all of a controller's, are for members who have at least this role. The path names the workspace `:workspace_id`. */
export const Needs = (role: WorkspaceRole) =>
  applyDecorators(SetMetadata(NEEDED_ROLE, role), UseGuards(WorkspaceGuard));
