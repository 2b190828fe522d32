import { Module } from '@nestjs/common';
import { LoginAttemptCleanupJob } from './login-attempt-cleanup.job';
import { LoginThrottle } from './login-throttle.service';

@Module({
  providers: [LoginAttemptCleanupJob, LoginThrottle],
  exports: [LoginThrottle],
})
export class LoginThrottleModule {}
