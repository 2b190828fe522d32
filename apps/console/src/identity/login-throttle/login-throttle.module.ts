import { Module } from '@nestjs/common';
import { LoginAttemptCleanupJob, LoginThrottle } from './login-throttle.service';

@Module({
  providers: [LoginAttemptCleanupJob, LoginThrottle],
  exports: [LoginThrottle],
})
export class LoginThrottleModule {}
