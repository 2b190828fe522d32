import { Module } from '@nestjs/common';
import { SealedTokens } from './sealed-tokens';

@Module({
  providers: [SealedTokens],
  exports: [SealedTokens],
})
export class SealedTokensModule {}
