import { Module } from '@nestjs/common';
import { LoginThrottleModule } from '../login-throttle/login-throttle.module';
import { PasswordsModule } from '../passwords/passwords.module';
import { RefreshModule } from '../refresh/refresh.module';
import { SecondFactorModule } from '../second-factor/second-factor.module';
import { SessionsModule } from '../sessions/sessions.module';
import { AuthController } from './auth.controller';
import { LoginChallengesController } from './login-challenges.controller';
import { AuthService } from './auth.service';
import { ExpiryCleanupJob } from './expiry-cleanup.job';
import { LoginChallengesService } from './login-challenges.service';
import { SignInService } from './sign-in.service';

@Module({
  imports: [LoginThrottleModule, PasswordsModule, RefreshModule, SecondFactorModule, SessionsModule],
  controllers: [AuthController, LoginChallengesController],
  providers: [AuthService, ExpiryCleanupJob, LoginChallengesService, SignInService],
  exports: [SignInService],
})
export class SignInModule {}
