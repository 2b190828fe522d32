import { type DynamicModule, Module } from '@nestjs/common';
import { CredentialsModule } from '@inference/credentials';
import { DatabaseModule } from '@inference/database';
import { ServiceModule } from '@inference/http';
import { ModelGateway } from '@inference/model-calls';
import { AGENT_CONFIG, type AgentConfig } from './config';
import { EventsController } from './events/events.controller';
import { EventsService } from './events/events.service';
import { ResumptionService } from './events/resumption.service';
import { framePool, FramePoolEnd } from './frames/frame-pool';
import { FrameRetention } from './frames/frame-retention';
import { FrameStore } from './frames/frame-store';
import { FrameWriter } from './frames/frame-writer';
import { TurnFeeds } from './frames/turn-feeds';
import { Handover } from './handover';
import { SessionsController } from './sessions/sessions.controller';
import { SessionsService } from './sessions/sessions.service';
import { Replica } from './turns/replica';
import { TurnQueue } from './turns/turn-queue';
import { TurnRunner } from './turns/turn-runner';

@Module({})
export class AppModule {
  static forRoot(config: AgentConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule,
        DatabaseModule.forRoot('agent', config),
        CredentialsModule.forRoot({ ...config, defaultKinds: ['api_key', 'api_key_scheme'] }),
      ],
      controllers: [SessionsController, EventsController],
      providers: [
        { provide: AGENT_CONFIG, useValue: config },
        EventsService,
        framePool,
        FramePoolEnd,
        FrameRetention,
        FrameStore,
        FrameWriter,
        Handover,
        { provide: ModelGateway, useFactory: () => modelGateway(config) },
        Replica,
        ResumptionService,
        SessionsService,
        TurnFeeds,
        TurnQueue,
        TurnRunner,
      ],
    };
  }
}

function modelGateway(config: AgentConfig): ModelGateway {
  return new ModelGateway({
    url: config.GATEWAY_URL,
    credential: config.GATEWAY_CREDENTIAL,
    silenceMillis: config.MODEL_SILENCE_TIMEOUT_SECONDS * 1000,
  });
}
