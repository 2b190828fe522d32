import { CURRENCY_BY_SITE, type Currency, type Site } from '@inference/config';
import { CurrencyProperty } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { PAYMENT_PROVIDERS, type PaymentProviderName } from './payment-provider';

/** Spec: Payment provider entry. */
export class PaymentProviderResponse {
  @ApiProperty({ description: 'Names the provider in payments.', enum: PAYMENT_PROVIDERS })
  name!: PaymentProviderName;

  @ApiProperty({ description: 'Whether its credentials are configured on this site.', example: true })
  enabled!: boolean;

  @CurrencyProperty({ description: 'The currency of its payments, which is the site’s.' })
  currency!: Currency;

  @ApiProperty({ description: 'The site of the provider.', enum: Object.keys(CURRENCY_BY_SITE) })
  region!: Site;
}

export class PaymentProviderListResponse {
  @ApiProperty({
    description:
      'International site: `card_provider`. China site: `messaging_pay_provider` and `wallet_pay_provider`.',
    type: [PaymentProviderResponse],
  })
  providers!: PaymentProviderResponse[];
}
