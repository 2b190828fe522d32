import { Module } from '@nestjs/common';
import { LoginThrottleModule } from '../login-throttle/login-throttle.module';
import { PasswordsModule } from '../passwords/passwords.module';
import { SealedTokensModule } from '../sealed-tokens/sealed-tokens.module';
import { AdminConfirmationService } from './admin/admin-confirmation.service';
import { AdminTwoFactorController } from './admin/admin-two-factor.controller';
import { TwoFactorController } from './two-factor.controller';
import { SecondFactorVerifier } from './second-factor-verifier';
import { TwoFactorService } from './two-factor.service';

@Module({
  imports: [LoginThrottleModule, PasswordsModule, SealedTokensModule],
  controllers: [AdminTwoFactorController, TwoFactorController],
  providers: [AdminConfirmationService, SecondFactorVerifier, TwoFactorService],
  exports: [AdminConfirmationService, SecondFactorVerifier],
})
export class SecondFactorModule {}
