import { type DynamicModule, Global, Module } from '@nestjs/common';
import { type AgentConfig } from './config';
import { MODELS_CONFIG } from './models/models.config';
import { REPLICAS_CONFIG } from './replicas/replica-heartbeat';
import { SHUTDOWN_CONFIG } from './shutdown/shutdown.module';
import { STREAMS_CONFIG } from './streams/streams.config';
import { TURNS_CONFIG } from './turns/turns.config';

/** Provides each feature with its own slice of the configuration. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(config: AgentConfig): DynamicModule {
    const slices = [
      { provide: MODELS_CONFIG, useValue: config.models },
      { provide: TURNS_CONFIG, useValue: config.turns },
      { provide: REPLICAS_CONFIG, useValue: config.replicas },
      { provide: SHUTDOWN_CONFIG, useValue: config.shutdown },
      { provide: STREAMS_CONFIG, useValue: config.streams },
    ];
    return { module: ConfigModule, providers: slices, exports: slices.map(({ provide }) => provide) };
  }
}
