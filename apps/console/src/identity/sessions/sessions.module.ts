import { Module } from '@nestjs/common';
import { JwksController } from './jwks.controller';
import { SessionCookie } from './session-cookie';
import { SessionsService } from './sessions.service';

@Module({
  controllers: [JwksController],
  providers: [SessionCookie, SessionsService],
  exports: [SessionCookie, SessionsService],
})
export class SessionsModule {}
