import { Module } from '@nestjs/common';
import { GatewayClient } from '@inference/model-calls';
import { MODELS_CONFIG, type ModelsConfig } from './models.config';

/** Calls models through the gateway. */
@Module({
  providers: [
    {
      provide: GatewayClient,
      inject: [MODELS_CONFIG],
      useFactory: (config: ModelsConfig) =>
        new GatewayClient({
          url: config.gatewayUrl,
          credential: config.gatewayCredential,
          silenceMillis: config.silenceTimeoutMillis,
        }),
    },
  ],
  exports: [GatewayClient],
})
export class ModelsModule {}
