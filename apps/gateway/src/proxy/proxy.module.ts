import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/idempotency.module';
import { LeasesModule } from '../leases/leases.module';
import { LimitsModule } from '../limits/limits.module';
import { PricesModule } from '../prices/prices.module';
import { SettlementModule } from '../settlement/settlement.module';
import { UnservedCallsModule } from '../unserved-calls/unserved-calls.module';
import { UpstreamsModule } from '../upstreams/upstreams.module';
import { AdmissionService } from './admission/admission.service';
import { ChatTranslators } from './chat-translators';
import { CallBilling, UsageFaults } from './call-billing';
import { EstimateController } from './estimate/estimate.controller';
import { OpenRequests } from './open-requests';
import { ProxyController } from './proxy.controller';
import { ProxyService } from './proxy.service';
import { KeepAlive } from './streaming/keep-alive';

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
