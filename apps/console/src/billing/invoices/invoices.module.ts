import { Module } from '@nestjs/common';
import { MailModule } from '../../notifications/mail/mail.module';
import { DocumentLinksModule } from '../document-links/document-links.module';
import { InvoiceMail } from './invoice-file';
import { InvoicesController } from './invoices.controller';
import { InvoicesService } from './invoices.service';
import { InvoiceFetcher } from './issuer/invoice-fetcher';

@Module({
  imports: [DocumentLinksModule, MailModule],
  controllers: [InvoicesController],
  providers: [InvoicesService, InvoiceMail, InvoiceFetcher],
})
export class InvoicesModule {}
