import { Module } from '@nestjs/common';
import { GatewayClient } from '@inference/model-calls';
import { MODELS_CONFIG, type ModelsConfig } from './models.config';

/** Calls of chat and embedding models through the gateway. */
@Module({
  providers: [
    {
      provide: GatewayClient,
      useFactory: ({ gatewayUrl, gatewayCredential, silenceTimeoutMs }: ModelsConfig) =>
        new GatewayClient({
          url: gatewayUrl,
          credential: gatewayCredential,
          silenceMillis: silenceTimeoutMs,
        }),
      inject: [MODELS_CONFIG],
    },
  ],
  exports: [GatewayClient],
})
export class ModelsModule {}
