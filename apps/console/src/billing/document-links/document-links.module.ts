import { Module } from '@nestjs/common';
import { SealedTokensModule } from '../../identity/sealed-tokens/sealed-tokens.module';
import { DocumentLinksService } from '../documents/document-links.service';

/** Links to receipts and invoices that need no credential. */
@Module({
  imports: [SealedTokensModule],
  providers: [DocumentLinksService],
  exports: [DocumentLinksService],
})
export class DocumentLinksModule {}
