import { Module } from '@nestjs/common';
import { ModelGateway } from '@inference/model-calls';
import { MODELS_CONFIG, type ModelsConfig } from './models.config';

/** Calls models through the gateway. */
@Module({
  providers: [
    {
      provide: ModelGateway,
      inject: [MODELS_CONFIG],
      useFactory: (config: ModelsConfig) =>
        new ModelGateway({
          url: config.gatewayUrl,
          credential: config.gatewayCredential,
          silenceMillis: config.silenceTimeoutMillis,
        }),
    },
  ],
  exports: [ModelGateway],
})
export class ModelsModule {}
