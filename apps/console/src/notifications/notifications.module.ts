import { Module } from '@nestjs/common';
import { LowBalanceModule } from './low-balance/low-balance.module';
import { MailModule } from './mail/mail.module';

/** What the console tells customers by mail. */
@Module({ imports: [MailModule, LowBalanceModule] })
export class NotificationsModule {}
