import { ChoiceField, IdField, InstantProperty, NextCursorProperty, TextField } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { WorkspacePath } from '../../access/workspace-path.dto';
import { WORKSPACE_ROLES, type WorkspaceRole } from '../../access/workspace-role';

export class MemberPath extends WorkspacePath {
  @IdField({ description: 'The id of the member’s account.', noun: 'member', prefix: 'acct' })
  user_id!: string;
}

/** The account is given by its id or by its email address. */
export class AddMemberDto {
  @IdField({
    description: 'The id of the account. Either this or `email` must be given.',
    noun: 'account',
    prefix: 'acct',
    optional: true,
  })
  user_id?: string;

  @TextField({
    description: 'The confirmed email address of the account, in upper or lower case.',
    minLength: 3,
    maxLength: 254,
    optional: true,
  })
  email?: string;

  @ChoiceField(WORKSPACE_ROLES, { description: 'The role of the new member.', example: 'viewer' })
  role!: WorkspaceRole;
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
      'The email address of the creator of the workspace and of members that were added by address; null for members that were added by id.',
    example: 'ann@example.com',
    type: 'string',
    nullable: true,
  })
  email!: string | null;

  @ApiProperty({ description: 'The role of the member.', enum: WORKSPACE_ROLES })
  role!: WorkspaceRole;

  @InstantProperty({ description: 'When the member was added.' })
  created_at!: string;
}

export class MemberListResponse {
  @ApiProperty({
    description: 'The members in the order in which they were added.',
    type: [MemberResponse],
  })
  members!: MemberResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
