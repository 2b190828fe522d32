import { type DynamicModule, Module } from '@nestjs/common';
import { CredentialsModule } from '@inference/credentials';
import { DatabaseModule, NotificationChannel, SQL_POOL, type SqlPool } from '@inference/database';
import { ServiceModule } from '@inference/http';
import { PriceBook } from '@inference/metering';
import { GATEWAY_CONFIG, type GatewayConfig } from './config';
import { HousekeepingService } from './housekeeping/housekeeping.service';
import { LeaseDesk } from './leases/lease-desk';
import { LeaseStore } from './leases/lease-store';
import { ModelsController } from './models/models.controller';
import { ModelsService } from './models/models.service';
import { AdmissionService } from './relay/admission.service';
import { RelayController } from './relay/relay.controller';
import { RelayService } from './relay/relay.service';
import { Settler } from './settlement/settler';
import { Upstreams } from './upstreams/upstreams';

@Module({})
export class AppModule {
  static forRoot(config: GatewayConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule,
        DatabaseModule.forRoot('gateway', config),
        CredentialsModule.forRoot({
          ...config,
          defaultKinds: ['api_key', 'on_behalf'],
          serviceCredentials: { agent: config.AGENT_CREDENTIALS ?? [], memo: config.MEMO_CREDENTIALS ?? [] },
        }),
      ],
      controllers: [RelayController, ModelsController],
      providers: [
        { provide: GATEWAY_CONFIG, useValue: config },
        {
          provide: PriceBook,
          inject: [SQL_POOL, NotificationChannel],
          useFactory: (pool: SqlPool, channel: NotificationChannel) =>
            new PriceBook(pool, config.SITE, channel, config.TRAINING_PRICE_SLUG),
        },
        AdmissionService,
        HousekeepingService,
        LeaseDesk,
        LeaseStore,
        ModelsService,
        RelayService,
        Settler,
        Upstreams,
      ],
    };
  }
}
