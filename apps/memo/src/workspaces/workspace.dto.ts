import { InstantProperty, LineField, NextCursorProperty } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { WORKSPACE_ROLES, type WorkspaceRole } from '../tables/workspace.entity';

/** The body of POST /v1/workspaces and of PATCH of one. */
export class WorkspaceDto {
  @LineField({ description: 'The name of the workspace.', example: 'Handbook', maxLength: 200 })
  name!: string;
}

export class WorkspaceResponse {
  @ApiProperty({ description: 'Names the workspace in this API.', example: 'ws_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'The name of the workspace.', example: 'Handbook' })
  name!: string;

  @ApiProperty({
    description:
      'The role of the caller; for a key, the lower one of the roles of the key and of its creator.',
    enum: WORKSPACE_ROLES,
  })
  role!: WorkspaceRole;

  @ApiProperty({
    description: 'The id of the account that created the workspace.',
    example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  created_by!: string;

  @ApiProperty({ description: 'How many documents the workspace has.', type: 'integer', example: 12 })
  document_count!: number;

  @ApiProperty({
    description: 'Uploaded sizes of the newest version of each document, in bytes.',
    type: 'integer',
    example: 48_213,
  })
  bytes!: number;

  @InstantProperty({ description: 'When the workspace was created.' })
  created_at!: string;

  @InstantProperty({ description: 'When the workspace was created or last renamed.' })
  updated_at!: string;
}

export class WorkspaceListResponse {
  @ApiProperty({
    description: 'The workspaces of which the caller is a member, newest first.',
    type: [WorkspaceResponse],
  })
  workspaces!: WorkspaceResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
