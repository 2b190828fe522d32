import { Module } from '@nestjs/common';
import { ServiceProxyModule } from '../service-proxy/service-proxy.module';
import { AgentEventsController } from './agent-events.controller';
import { AgentSessionsController } from './agent-sessions.controller';

/** Agent sessions in a browser, through the agent service. */
@Module({ imports: [ServiceProxyModule], controllers: [AgentSessionsController, AgentEventsController] })
export class AgentsModule {}
