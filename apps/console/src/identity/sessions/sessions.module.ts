import { Module } from '@nestjs/common';
import { JwksController } from './jwks.controller';
import { SessionCookies } from './session-cookies';
import { SessionsService } from './sessions.service';

@Module({
  controllers: [JwksController],
  providers: [SessionCookies, SessionsService],
  exports: [SessionCookies, SessionsService],
})
export class SessionsModule {}
