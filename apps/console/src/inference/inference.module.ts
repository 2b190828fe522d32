import { Module } from '@nestjs/common';
import { AgentEventsController, AgentSessionsController } from './agents/agents.controller';
import { PlaygroundController } from './playground/playground.controller';
import { AgentProxy, GatewayProxy, RouterCostProxy } from './service-proxy/service-proxies';
import { ProxyMetrics } from './service-proxy/service-proxy';
import { ServedModelsService } from './serving/served-models.service';
import { ServedModelsController, UpstreamsController } from './serving/serving.controller';
import { UpstreamsService } from './serving/upstreams.service';
import {
  PlaygroundSettingsController,
  SavedConversationsController,
} from './saved-conversations/conversations.controller';
import { SavedConversationsService } from './saved-conversations/conversations.service';
import { PresetsController } from './presets/presets.controller';
import { PresetsService } from './presets/presets.service';

/** Models with their parameters under names. */
@Module({ controllers: [PresetsController], providers: [PresetsService] })
class PresetsModule {}

/** Conversations with models, and whether they are kept. */
@Module({
  controllers: [SavedConversationsController, PlaygroundSettingsController],
  providers: [SavedConversationsService],
})
class SavedConversationsModule {}

/** What the account saves in the playground, whose calls of models are those of `PlaygroundModule`. */
@Module({ imports: [PresetsModule, SavedConversationsModule] })
class SavedPlaygroundModule {}

/** Forwards requests to other services of the platform. */
@Module({
  providers: [ProxyMetrics, AgentProxy, GatewayProxy, RouterCostProxy],
  exports: [AgentProxy, GatewayProxy, RouterCostProxy],
})
export class ServiceProxyModule {}

/** Agent sessions in a browser, through the agent service. */
@Module({ imports: [ServiceProxyModule], controllers: [AgentSessionsController, AgentEventsController] })
class AgentsModule {}

/** Calls of models in a browser, through the gateway. */
@Module({ imports: [ServiceProxyModule], controllers: [PlaygroundController] })
class PlaygroundModule {}

/** What operators decide of models and their servers. */
@Module({
  controllers: [ServedModelsController, UpstreamsController],
  providers: [ServedModelsService, UpstreamsService],
  exports: [ServedModelsService, UpstreamsService],
})
export class ServingModule {}

/** Models and agents for the pages of the console: the gateway and the agent service, called for the account that is signed in. */
@Module({
  imports: [AgentsModule, PlaygroundModule, SavedPlaygroundModule, ServingModule],
  exports: [ServingModule],
})
export class InferenceModule {}
