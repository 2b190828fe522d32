import { Module } from '@nestjs/common';
import { SessionListController } from './session-list.controller';
import { SessionListService } from './session-list.service';

@Module({
  controllers: [SessionListController],
  providers: [SessionListService],
})
export class SessionListModule {}
