import { Module } from '@nestjs/common';
import { LoginThrottleModule } from '../login-throttle/login-throttle.module';
import { PasswordsModule } from '../passwords/passwords.module';
import { SealedTokensModule } from '../sealed-tokens/sealed-tokens.module';
import { AdminConfirmationService } from './admin-confirmation.service';
import { SecondFactorVerifier } from './second-factor-verifier';
import { AdminTwoFactorController, TwoFactorController } from './two-factor.controller';
import { TwoFactorService } from './two-factor.service';

@Module({
  imports: [LoginThrottleModule, PasswordsModule, SealedTokensModule],
  controllers: [AdminTwoFactorController, TwoFactorController],
  providers: [AdminConfirmationService, SecondFactorVerifier, TwoFactorService],
  exports: [AdminConfirmationService, SecondFactorVerifier],
})
export class SecondFactorModule {}
