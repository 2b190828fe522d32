import { Module } from '@nestjs/common';
import { LowBalanceAlertJob } from './low-balance-alert.job';

/** Mails customers whose balance falls below the threshold. */
@Module({ providers: [LowBalanceAlertJob] })
export class LowBalanceModule {}
