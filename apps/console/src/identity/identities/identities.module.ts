import { Module } from '@nestjs/common';
import { OAuthProvidersModule } from '../oauth-providers/oauth-providers.module';
import { IdentitiesController } from './identities.controller';
import { IdentitiesService } from './identities.service';

@Module({
  imports: [OAuthProvidersModule],
  controllers: [IdentitiesController],
  providers: [IdentitiesService],
  exports: [IdentitiesService],
})
export class IdentitiesModule {}
