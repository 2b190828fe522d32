import { Module } from '@nestjs/common';
import { AgentsModule } from './agents/agents.module';
import { PlaygroundModule } from './playground/playground.module';

/** Models and agents for the pages of the console: the gateway and the agent service, called for the account that is signed in. */
@Module({ imports: [AgentsModule, PlaygroundModule] })
export class InferenceModule {}
