import { ChoiceField, IdField, InstantProperty, LineField, NextCursorProperty } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { WorkspacePath } from '../../access/workspace.guard';
import { WORKSPACE_ROLES, type WorkspaceRole } from '../../tables/workspace.entity';

export class KeyPath extends WorkspacePath {
  @IdField({ description: 'The id of the key.', noun: 'key', prefix: 'wk' })
  key_id!: string;
}

export class CreateKeyDto {
  @LineField({ description: 'What the key is for.', example: 'website', maxLength: 100 })
  name!: string;

  @ChoiceField(WORKSPACE_ROLES, {
    description: 'What the key may do; at most the caller’s own role.',
    example: 'viewer',
    default: 'viewer',
    optional: true,
  })
  role: WorkspaceRole = 'viewer';
}

/** A key without its secret. */
export class KeyResponse {
  @ApiProperty({ description: 'Names the key in this API.', example: 'wk_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'What the key is for.', example: 'website' })
  name!: string;

  @ApiProperty({ description: 'The first characters of the secret.', example: 'sk_3kZ8dQ1' })
  prefix!: string;

  @ApiProperty({ description: 'The role that the key was created with.', enum: WORKSPACE_ROLES })
  role!: WorkspaceRole;

  @ApiProperty({
    description: 'The lower one of the key’s role and the current role of the member who created it.',
    enum: WORKSPACE_ROLES,
  })
  effective_role!: WorkspaceRole;

  @ApiProperty({
    description: 'The id of the account that created the key.',
    example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  created_by!: string;

  @InstantProperty({ description: 'When the key was created.' })
  created_at!: string;

  @InstantProperty({
    description: 'The last call with the key, accurate to ten seconds; null: none.',
    nullable: true,
  })
  last_used_at!: string | null;
}

export class CreatedKeyResponse extends KeyResponse {
  @ApiProperty({ description: 'The secret. It is shown only here.', example: 'sk_…' })
  key!: string;
}

export class KeyListResponse {
  @ApiProperty({
    description: 'The caller’s own keys, or all keys for an admin, newest first.',
    type: [KeyResponse],
  })
  keys!: KeyResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
