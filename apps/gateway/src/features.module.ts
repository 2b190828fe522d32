import { Module } from '@nestjs/common';
import { LimitsModule } from './limits/limits.module';
import { PricesModule } from './prices.module';
import { AdmissionService } from './proxy/admission/admission.service';
import { ChatTranslators } from './proxy/chat-translators';
import { CallBilling, UsageFaults } from './proxy/call-billing';
import { EstimateController } from './proxy/estimate.controller';
import { OpenRequests } from './proxy/open-requests';
import { ProxyController } from './proxy/proxy.controller';
import { ProxyService } from './proxy/proxy.service';
import { KeepAlive } from './proxy/streaming/keep-alive';
import { AnswerMemory } from './upstreams/answer-memory';
import { ServingDirectory } from './upstreams/directory.service';
import { LimitedUpstreams } from './upstreams/upstream-limits';
import { UnchargedCosts } from './upstreams/uncharged-costs.service';
import { UpstreamMetrics } from './upstreams/upstream-metrics';
import { UpstreamProbes } from './upstreams/upstream-probes.service';
import { UpstreamsService } from './upstreams/upstreams.service';
import { UnservedCalls } from './unserved-calls/unserved-calls.service';
import { SettlementBatcher } from './settlement/settlement-batcher';
import { SettlementMetrics } from './settlement/settlement-metrics';
import { UsageFolder } from './settlement/usage-folder';
import { LeaseManager, LeaseMetrics } from './leases/lease-manager';
import { LeaseRepository } from './leases/lease.repository';
import { CallRelay } from './idempotency/call-relay';
import { IdempotentCalls } from './idempotency/idempotent-calls.service';
import { MessagesController } from './protocols/messages/messages.controller';
import { TokenCounts } from './protocols/messages/token-counts.service';
import { ResponsesController } from './protocols/responses/responses.controller';
import { StoredResponsesController } from './protocols/responses/stored/stored-responses.controller';
import { StoredResponses } from './protocols/responses/stored/stored-responses.service';
import { RootController } from './protocols/root.controller';
import { ProtocolsService } from './protocols/protocols.service';
import { AudioController } from './tasks/audio.controller';
import { TaskProxy } from './tasks/task-proxy.service';
import { TasksController } from './tasks/tasks.controller';
import { ModelsController } from './models/models.controller';
import { ModelsService } from './models/models.service';
import { BillingTablesJob, RollupsJob } from './maintenance/maintenance.job';

/** Calls that their clients may repeat. */
@Module({ providers: [CallRelay, IdempotentCalls], exports: [IdempotentCalls] })
class IdempotencyModule {}

/** Sets money aside for requests before they are served. */
@Module({ providers: [LeaseManager, LeaseMetrics, LeaseRepository], exports: [LeaseManager] })
class LeasesModule {}

/** Writes usage events and debits their cost. */
@Module({ providers: [SettlementBatcher, SettlementMetrics, UsageFolder], exports: [SettlementBatcher] })
class SettlementModule {}

/** The log of refused and failed calls. */
@Module({ providers: [UnservedCalls], exports: [UnservedCalls] })
class UnservedCallsModule {}

/** Knows the models and calls their servers. */
@Module({
  providers: [
    AnswerMemory,
    LimitedUpstreams,
    ServingDirectory,
    UnchargedCosts,
    UpstreamMetrics,
    UpstreamProbes,
    UpstreamsService,
  ],
  exports: [AnswerMemory, ServingDirectory, UnchargedCosts, UpstreamMetrics, UpstreamsService],
})
class UpstreamsModule {}

/** The model endpoints: admission, the call of an upstream, metering and settlement. */
@Module({
  imports: [
    IdempotencyModule,
    LeasesModule,
    LimitsModule,
    PricesModule,
    SettlementModule,
    UnservedCallsModule,
    UpstreamsModule,
  ],
  controllers: [ProxyController, EstimateController],
  providers: [
    AdmissionService,
    CallBilling,
    ChatTranslators,
    KeepAlive,
    OpenRequests,
    ProxyService,
    UsageFaults,
  ],
  exports: [AdmissionService, CallBilling, ChatTranslators, OpenRequests, ProxyService],
})
export class ProxyModule {}

/** Protocols beside OpenAI's chat completions, by which they are served. */
@Module({
  imports: [ProxyModule, UpstreamsModule],
  controllers: [MessagesController, ResponsesController, RootController, StoredResponsesController],
  providers: [ProtocolsService, StoredResponses, TokenCounts],
})
export class ProtocolsModule {}

/** Endpoints of models with one task: rerank, images, audio and moderations. */
@Module({
  imports: [IdempotencyModule, ProxyModule, UnservedCallsModule, UpstreamsModule],
  controllers: [TasksController, AudioController],
  providers: [TaskProxy],
})
export class TasksModule {}

/** `GET /v1/models`. */
@Module({
  imports: [PricesModule, UpstreamsModule],
  controllers: [ModelsController],
  providers: [ModelsService],
})
export class ModelsModule {}

/** Regular maintenance of the metering and lease tables, and the rollups. */
@Module({ providers: [BillingTablesJob, RollupsJob] })
export class MaintenanceModule {}
