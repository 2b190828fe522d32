import { Module } from '@nestjs/common';
import { KeysModule } from './keys/keys.module';
import { MembersModule } from './members/members.module';
import { InvitationsController } from './invitations/invitations.controller';
import { InvitationsService } from './invitations/invitations.service';
import { ReceivedInvitationsController } from './invitations/received-invitations.controller';
import { WorkspacesController } from './workspaces.controller';
import { WorkspacesService } from './workspaces.service';

/** Workspaces, their members, invitations and keys. */
@Module({
  imports: [KeysModule, MembersModule],
  controllers: [WorkspacesController, InvitationsController, ReceivedInvitationsController],
  providers: [WorkspacesService, InvitationsService],
})
export class WorkspacesModule {}
