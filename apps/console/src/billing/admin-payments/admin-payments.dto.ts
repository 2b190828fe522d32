import { ApiProperty, OmitType } from '@nestjs/swagger';
import { PaymentResponse } from '../payments/payments.dto';
import { RefundResponse } from '../refunds/refunds.dto';

export class AdminPaymentResponse extends OmitType(PaymentResponse, ['refunds']) {
  @ApiProperty({ description: 'The account that pays.', example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  account_id!: string;

  @ApiProperty({
    description: 'The number of the receipt or invoice; null without one.',
    type: String,
    nullable: true,
    example: 'R-2026-000001',
  })
  document_number!: string | null;

  @ApiProperty({ description: 'All attempts at a refund, oldest first.', type: [RefundResponse] })
  refunds!: RefundResponse[];
}
