import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Database } from '@inference/database';
import { validatedPath } from '@inference/dto';
import { type Request } from 'express';
import { ApiWorkspace } from './api-workspace.decorator';
import { requireRole, sufficientRole } from './role-check';
import { WorkspacePath } from './workspace-path.dto';
import { type WorkspaceRole } from '../tables/workspace-role';

const REQUIRED_ROLE = 'needed-role';
/** Admits members of the workspace in the path. For all other callers the workspace does not exist (404). */
@Injectable()
class WorkspaceGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly database: Database,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const needed = this.reflector.getAllAndOverride<WorkspaceRole>(REQUIRED_ROLE, [
      context.getHandler(),
      context.getClass(),
    ]);
    const request = context.switchToHttp().getRequest<Request<{ workspace_id: string }>>();
    const { caller, params } = request;
    if (!caller) throw new Error('A route of a workspace has no caller.');
    const key = caller.workspaceKey;
    const { workspace_id: workspaceId } = await validatedPath(WorkspacePath, {
      workspace_id: params.workspace_id,
    });
    const who = { workspaceId, accountId: caller.accountId, keyId: key?.id ?? null };
    // The role of a key was read with the key.
    const role =
      key?.workspaceId === workspaceId
        ? sufficientRole(key.role, needed)
        : await requireRole(this.database, who, needed);
    request.member = { ...who, role };
    return true;
  }
}

/**
 * Restricts a route, or all routes of a controller, to members with at least this role. The path contains
 * `:workspace_id`.
 */
export const RequiresRole = (role: WorkspaceRole) =>
  applyDecorators(SetMetadata(REQUIRED_ROLE, role), UseGuards(WorkspaceGuard), ApiWorkspace(role));
