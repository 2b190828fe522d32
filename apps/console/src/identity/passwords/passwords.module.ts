import { Module } from '@nestjs/common';
import { LoginThrottleModule } from '../login-throttle/login-throttle.module';
import { PasswordsController } from './passwords.controller';
import { PasswordHasher } from './password-hasher';
import { PasswordsService } from './passwords.service';
import { ReauthenticationService } from './reauthentication.service';

@Module({
  imports: [LoginThrottleModule],
  controllers: [PasswordsController],
  providers: [PasswordHasher, PasswordsService, ReauthenticationService],
  exports: [PasswordHasher, ReauthenticationService],
})
export class PasswordsModule {}
