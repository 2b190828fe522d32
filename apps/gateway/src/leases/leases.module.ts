import { Module } from '@nestjs/common';
import { LeaseManager, LeaseMetrics } from './lease-manager';
import { LeaseRepository } from './lease.repository';

/** Sets money aside for requests before they are served. */
@Module({ providers: [LeaseManager, LeaseMetrics, LeaseRepository], exports: [LeaseManager] })
export class LeasesModule {}
