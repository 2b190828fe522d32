import { ApiErrors } from '@inference/openapi';
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
import { IdField, validatedPath } from '@inference/dto';
import { ApiParam } from '@nestjs/swagger';
import { type Request } from 'express';
import { requireRole, sufficientRole } from './role-check';
import { type WorkspaceRole } from '../tables/workspace.entity';

export class WorkspacePath {
  @IdField({ description: 'The id of the workspace.', noun: 'workspace', prefix: 'ws' })
  workspace_id!: string;
}

/** Documents what all routes of a workspace have in common: the id in the path, and the errors of the check of the role. */
const ApiWorkspace = (role: WorkspaceRole) =>
  applyDecorators(
    ApiParam({
      name: 'workspace_id',
      description: 'The id of the workspace.',
      schema: { type: 'string', pattern: '^ws_[0-9A-Za-z]{1,64}$', example: 'ws_0Vc3kZ8dQ1mXw7RtYb2LsA' },
    }),
    ApiErrors({ 404: 'The workspace does not exist, or the caller is not a member.' }),
    // Every member is at least a viewer.
    ...(role === 'viewer'
      ? []
      : [ApiErrors({ 403: `The caller’s role in the workspace is below ${role}.` })]),
  );

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
