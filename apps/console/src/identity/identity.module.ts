import { Module } from '@nestjs/common';
import { AdminAccountsModule } from './admin-accounts/admin-accounts.module';
import { ApiKeysModule } from './api-keys/api-keys.module';
import { EmailVerificationModule } from './email-verification/email-verification.module';
import { IdentitiesModule } from './identities/identities.module';
import { OAuthModule } from './oauth/oauth.module';
import { PasswordsModule } from './passwords/passwords.module';
import { RefreshModule } from './refresh/refresh.module';
import { SecondFactorModule } from './second-factor/second-factor.module';
import { SessionListModule } from './session-list/session-list.module';
import { SessionsModule } from './sessions/sessions.module';
import { SignInModule } from './sign-in/sign-in.module';

/** The credentials of accounts and everything by which a caller becomes known. */
@Module({
  imports: [
    AdminAccountsModule,
    ApiKeysModule,
    EmailVerificationModule,
    IdentitiesModule,
    OAuthModule,
    PasswordsModule,
    RefreshModule,
    SecondFactorModule,
    SessionListModule,
    SessionsModule,
    SignInModule,
  ],
})
export class IdentityModule {}
