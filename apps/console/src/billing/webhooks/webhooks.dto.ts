import { ChoiceField } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { PAYMENT_PROVIDERS, type PaymentProviderName } from '../payment-providers/payment-provider';

export class WebhookPath {
  @ChoiceField(PAYMENT_PROVIDERS, {
    description:
      '`card_provider`: Stripe; `messaging_pay_provider`: WeChat Pay; `wallet_pay_provider`: Alipay.',
    example: 'card_provider',
    notFound: 'no such provider',
  })
  provider!: PaymentProviderName;
}

/** What Stripe gets for a notification that is stored. */
export class StripeAcknowledgementResponse {
  @ApiProperty({ description: 'Always true.', enum: [true], example: true })
  received!: true;
}

/** What WeChat Pay gets for a notification that is stored. */
export class WechatAcknowledgementResponse {
  @ApiProperty({ description: 'Always `SUCCESS`.', enum: ['SUCCESS'] })
  code!: 'SUCCESS';

  @ApiProperty({ description: '“Success” in Chinese.', example: '成功' })
  message!: string;
}

/** What WeChat Pay gets for a notification that is refused. */
export class WechatRefusalResponse {
  @ApiProperty({ description: 'Always `FAIL`.', enum: ['FAIL'] })
  code!: 'FAIL';

  @ApiProperty({ description: 'What is wrong, for people.', example: 'the signature is wrong' })
  message!: string;
}
