import { ChoiceField, IdField, InstantProperty, NextCursorProperty } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { WorkspacePath } from '../../access/workspace.guard';
import { WORKSPACE_ROLES, type WorkspaceRole } from '../../tables/workspace.entity';

export class MemberPath extends WorkspacePath {
  @IdField({ description: 'The id of the member’s account.', noun: 'member', prefix: 'acct' })
  user_id!: string;
}

export class ChangeMemberDto {
  @ChoiceField(WORKSPACE_ROLES, { description: 'The new role of the member.', example: 'editor' })
  role!: WorkspaceRole;
}

export class MemberResponse {
  @ApiProperty({
    description: 'The id of the member’s account.',
    example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  user_id!: string;

  @ApiProperty({
    description:
      'The email address of the creator of the workspace and of members who were invited by it; null for members who were once added by id.',
    example: 'ann@example.com',
    type: 'string',
    nullable: true,
  })
  email!: string | null;

  @ApiProperty({ description: 'The role of the member.', enum: WORKSPACE_ROLES })
  role!: WorkspaceRole;

  @InstantProperty({ description: 'When the account became a member.' })
  created_at!: string;
}

export class MemberListResponse {
  @ApiProperty({
    description: 'The members in the order in which they joined.',
    type: [MemberResponse],
  })
  members!: MemberResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
