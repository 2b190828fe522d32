import { ChoiceField, EmailField, IdField, InstantProperty, NextCursorProperty } from '@inference/dto';
import { ApiProperty, PickType } from '@nestjs/swagger';
import { WorkspacePath } from '../../access/workspace.guard';
import { WORKSPACE_ROLES, type WorkspaceRole } from '../../tables/workspace.entity';

const ID = { description: 'The id of the invitation.', noun: 'invitation', prefix: 'inv' };

export class InvitationPath {
  @IdField(ID)
  invitation_id!: string;
}

export class WorkspaceInvitationPath extends WorkspacePath {
  @IdField(ID)
  invitation_id!: string;
}

export class InviteDto {
  @EmailField({ description: 'The address to invite. It need not have an account yet.' })
  email!: string;

  @ChoiceField(WORKSPACE_ROLES, { description: 'The role of the new member.', example: 'viewer' })
  role!: WorkspaceRole;
}

export class InvitationResponse {
  @ApiProperty({ description: 'Names the invitation in this API.', example: 'inv_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'The invited address.', example: 'ann@example.com' })
  email!: string;

  @ApiProperty({ description: 'The role that the invited person will have.', enum: WORKSPACE_ROLES })
  role!: WorkspaceRole;

  @ApiProperty({ description: 'The address of the admin who invites.', example: 'bob@example.com' })
  invited_by!: string;

  @InstantProperty({ description: 'When the invitation was made.' })
  created_at!: string;

  @InstantProperty({ description: 'Until when it can be accepted.' })
  expires_at!: string;
}

export class InvitationListResponse {
  @ApiProperty({ description: 'The open invitations, newest first.', type: [InvitationResponse] })
  invitations!: InvitationResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}

/** An invitation as the invited person sees it. */
export class ReceivedInvitationResponse extends PickType(InvitationResponse, [
  'id',
  'role',
  'invited_by',
  'created_at',
  'expires_at',
]) {
  @ApiProperty({ description: 'The name of the workspace.', example: 'Handbook' })
  workspace_name!: string;
}

export class ReceivedInvitationListResponse {
  @ApiProperty({ description: 'The open invitations, newest first.', type: [ReceivedInvitationResponse] })
  invitations!: ReceivedInvitationResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
