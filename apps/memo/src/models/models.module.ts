import { Module } from '@nestjs/common';
import { ModelGateway } from '@inference/model-calls';
import { MODELS_CONFIG, type ModelsConfig } from './models.config';

/** Calls of chat and embedding models through the gateway. */
@Module({
  providers: [
    {
      provide: ModelGateway,
      useFactory: ({ gatewayUrl, gatewayCredential, silenceTimeoutMs }: ModelsConfig) =>
        new ModelGateway({ url: gatewayUrl, credential: gatewayCredential, silenceMillis: silenceTimeoutMs }),
      inject: [MODELS_CONFIG],
    },
  ],
  exports: [ModelGateway],
})
export class ModelsModule {}
