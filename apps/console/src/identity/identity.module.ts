import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { AdminAccountsController } from './admin-accounts/admin-accounts.controller';
import { AdminAccountsService } from './admin-accounts/admin-accounts.service';
import { ApiKeysController } from './api-keys/api-keys.controller';
import { ApiKeysService } from './api-keys/api-keys.service';
import { ExpiringKeysJob } from './api-keys/expiring-keys.job';
import { EmailVerificationController } from './email-verification/email-verification.controller';
import { EmailVerificationService } from './email-verification/email-verification.service';
import { IdentitiesController } from './identities/identities.controller';
import { IdentitiesService } from './identities/identities.service';
import { AdminLimitsController, LimitsController } from './limits/limits.controller';
import { LimitsService } from './limits/limits.service';
import { LoginAttemptCleanupJob, LoginThrottle } from './login-throttle/login-throttle.service';
import { OAuthProviderGateway } from './oauth-provider.gateway';
import { OAuthFlowsService } from './oauth/oauth-flows.service';
import { OAuthController, OAuthFlowCookie } from './oauth/oauth.controller';
import { OAuthService } from './oauth/oauth.service';
import { PasswordHasher } from './passwords/password-hasher';
import { PasswordsController } from './passwords/passwords.controller';
import { PasswordsService } from './passwords/passwords.service';
import { ReauthenticationService } from './passwords/reauthentication.service';
import { RefreshController } from './refresh/refresh.controller';
import { RefreshService } from './refresh/refresh.service';
import { SealedTokens } from './sealed-tokens';
import { AdminConfirmationService } from './second-factor/admin-confirmation.service';
import { SecondFactorVerifier } from './second-factor/second-factor-verifier';
import { AdminTwoFactorController, TwoFactorController } from './second-factor/two-factor.controller';
import { TwoFactorService } from './second-factor/two-factor.service';
import { SessionListController } from './session-list/session-list.controller';
import { SessionListService } from './session-list/session-list.service';
import { JwksController } from './sessions/jwks.controller';
import { SessionCookies } from './sessions/session-cookies';
import { SessionsService } from './sessions/sessions.service';
import { AuthController } from './sign-in/auth.controller';
import { AuthService } from './sign-in/auth.service';
import { ExpiryCleanupJob } from './sign-in/expiry-cleanup.job';
import { LoginChallengesController } from './sign-in/login-challenges.controller';
import { LoginChallengesService } from './sign-in/login-challenges.service';
import { SignInService } from './sign-in/sign-in.service';
import { ProviderRolesService } from './staff/provider-roles.service';
import { StaffController } from './staff/staff.controller';
import { StartCredit } from './start-credit';

@Module({
  providers: [LoginAttemptCleanupJob, LoginThrottle],
  exports: [LoginThrottle],
})
class LoginThrottleModule {}

@Module({ providers: [StartCredit], exports: [StartCredit] })
class StartCreditModule {}

@Module({
  imports: [LoginThrottleModule, StartCreditModule],
  controllers: [PasswordsController],
  providers: [PasswordHasher, PasswordsService, ReauthenticationService],
  exports: [PasswordHasher, ReauthenticationService],
})
class PasswordsModule {}

@Module({
  providers: [SealedTokens],
  exports: [SealedTokens],
})
export class SealedTokensModule {}

@Module({
  imports: [LoginThrottleModule, PasswordsModule, SealedTokensModule],
  controllers: [AdminTwoFactorController, TwoFactorController],
  providers: [AdminConfirmationService, SecondFactorVerifier, TwoFactorService],
  exports: [AdminConfirmationService, SecondFactorVerifier],
})
class SecondFactorModule {}

@Module({
  imports: [SecondFactorModule],
  controllers: [AdminAccountsController],
  providers: [AdminAccountsService],
  exports: [AdminAccountsService],
})
class AdminAccountsModule {}

@Module({
  controllers: [StaffController],
  providers: [ProviderRolesService],
  exports: [ProviderRolesService],
})
class StaffModule {}

@Module({
  controllers: [ApiKeysController],
  providers: [ApiKeysService, ExpiringKeysJob],
})
class ApiKeysModule {}

@Module({ controllers: [AdminLimitsController, LimitsController], providers: [LimitsService] })
class LimitsModule {}

@Module({
  imports: [PasswordsModule, StartCreditModule],
  controllers: [EmailVerificationController],
  providers: [EmailVerificationService],
})
class EmailVerificationModule {}

@Module({
  providers: [OAuthProviderGateway],
  exports: [OAuthProviderGateway],
})
class OAuthProvidersModule {}

@Module({
  imports: [OAuthProvidersModule, StartCreditModule],
  controllers: [IdentitiesController],
  providers: [IdentitiesService],
  exports: [IdentitiesService],
})
class IdentitiesModule {}

@Module({
  controllers: [JwksController],
  providers: [SessionCookies, SessionsService],
  exports: [SessionCookies, SessionsService],
})
class SessionsModule {}

@Module({
  imports: [SessionsModule],
  controllers: [RefreshController],
  providers: [RefreshService],
  exports: [RefreshService],
})
class RefreshModule {}

@Module({
  imports: [LoginThrottleModule, PasswordsModule, RefreshModule, SecondFactorModule, SessionsModule],
  controllers: [AuthController, LoginChallengesController],
  providers: [AuthService, ExpiryCleanupJob, LoginChallengesService, SignInService],
  exports: [SignInService],
})
class SignInModule {}

@Module({
  imports: [
    IdentitiesModule,
    OAuthProvidersModule,
    PasswordsModule,
    SealedTokensModule,
    SessionsModule,
    SignInModule,
    StaffModule,
    StartCreditModule,
  ],
  controllers: [OAuthController],
  providers: [OAuthFlowCookie, OAuthFlowsService, OAuthService],
})
class OAuthModule {}

@Module({
  controllers: [SessionListController],
  providers: [SessionListService],
})
class SessionListModule {}

/** The credentials of accounts and everything by which a caller becomes known. */
@Module({
  imports: [
    AdminAccountsModule,
    ApiKeysModule,
    // Here for the order of the schemas in the API document.
    AccountsModule,
    EmailVerificationModule,
    IdentitiesModule,
    LimitsModule,
    OAuthModule,
    PasswordsModule,
    RefreshModule,
    SecondFactorModule,
    SessionListModule,
    SessionsModule,
    SignInModule,
    StaffModule,
  ],
  exports: [AdminAccountsModule],
})
export class IdentityModule {}
