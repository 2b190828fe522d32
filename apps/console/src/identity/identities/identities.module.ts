import { Module } from '@nestjs/common';
import { OAuthProvidersModule } from '../oauth-providers/oauth-providers.module';
import { SessionsModule } from '../sessions/sessions.module';
import { IdentitiesController } from './identities.controller';
import { IdentitiesService } from './identities.service';

@Module({
  imports: [OAuthProvidersModule, SessionsModule],
  controllers: [IdentitiesController],
  providers: [IdentitiesService],
  exports: [IdentitiesService],
})
export class IdentitiesModule {}
