import { env } from '@inference/config';
import { Module } from '@nestjs/common';
import { GatewayClient } from '@inference/model-calls';
import { type z } from 'zod';

export const MODELS_CONFIG = Symbol('MODELS_CONFIG');

export const modelsFields = {
  /** Address of the gateway that serves the chat and embedding models. */
  GATEWAY_URL: env.httpUrl(),
  /** Credential that identifies this service to the gateway, so that it may call models for any account. */
  GATEWAY_CREDENTIAL: env.serviceSecret(),
  /** Longest time in seconds that a model may send nothing, before or during its answer; then the answer fails. */
  MODEL_SILENCE_TIMEOUT_SECONDS: env.number(0.05, 3600).default(330),
};

/** How models are called. */
interface ModelsConfig {
  gatewayUrl: string;
  gatewayCredential: string;
  silenceTimeoutMs: number;
}

type ModelsFields = z.output<z.ZodObject<typeof modelsFields>>;

export const modelsConfig = (config: ModelsFields): ModelsConfig => ({
  gatewayUrl: config.GATEWAY_URL,
  gatewayCredential: config.GATEWAY_CREDENTIAL,
  silenceTimeoutMs: config.MODEL_SILENCE_TIMEOUT_SECONDS * 1000,
});

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
