import { Module } from '@nestjs/common';
import { IdentitiesModule } from '../identities/identities.module';
import { OAuthProvidersModule } from '../oauth-providers/oauth-providers.module';
import { PasswordsModule } from '../passwords/passwords.module';
import { SealedTokensModule } from '../sealed-tokens/sealed-tokens.module';
import { SessionsModule } from '../sessions/sessions.module';
import { SignInModule } from '../sign-in/sign-in.module';
import { OAuthFlowsService } from './oauth-flows.service';
import { OAuthController, OAuthFlowCookie } from './oauth.controller';
import { OAuthService } from './oauth.service';

@Module({
  imports: [
    IdentitiesModule,
    OAuthProvidersModule,
    PasswordsModule,
    SealedTokensModule,
    SessionsModule,
    SignInModule,
  ],
  controllers: [OAuthController],
  providers: [OAuthFlowCookie, OAuthFlowsService, OAuthService],
})
export class OAuthModule {}
