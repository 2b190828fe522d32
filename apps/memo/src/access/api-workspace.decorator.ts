import { applyDecorators } from '@nestjs/common';
import { ApiErrors } from '@inference/openapi';
import { ApiParam } from '@nestjs/swagger';
import { type WorkspaceRole } from '../tables/workspace-role';

/** Documents what all routes of a workspace have in common: the id in the path, and the errors of the check of the role. */
export const ApiWorkspace = (role: WorkspaceRole) =>
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
