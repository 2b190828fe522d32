import { Module } from '@nestjs/common';
import { KeysModule } from './keys/keys.module';
import { MembersModule } from './members/members.module';
import { WorkspacesController } from './workspaces.controller';
import { WorkspacesService } from './workspaces.service';

/** Workspaces, their members and their keys. */
@Module({
  imports: [KeysModule, MembersModule],
  controllers: [WorkspacesController],
  providers: [WorkspacesService],
})
export class WorkspacesModule {}
