import { Module } from '@nestjs/common';
import { JwksController } from './jwks.controller';
import { ExpiryCleanupJob } from './expiry-cleanup.job';
import { SessionCookie } from './session-cookie';
import { SessionsService } from './sessions.service';

@Module({
  controllers: [JwksController],
  providers: [ExpiryCleanupJob, SessionCookie, SessionsService],
  exports: [SessionCookie, SessionsService],
})
export class SessionsModule {}
