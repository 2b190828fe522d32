import { Module } from '@nestjs/common';
import { OAuthProviderGateway } from './oauth-provider.gateway';

@Module({
  providers: [OAuthProviderGateway],
  exports: [OAuthProviderGateway],
})
export class OAuthProvidersModule {}
