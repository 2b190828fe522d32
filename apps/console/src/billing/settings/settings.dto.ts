import { type Currency } from '@inference/config';
import { CurrencyProperty, MoneyProperty } from '@inference/dto';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';
import { PaymentProviderResponse } from '../payment-providers/payment-providers.dto';

/** All amounts are in `currency`. */
export class BillingSettingsResponse {
  @CurrencyProperty({ description: 'The currency of the wallet.' })
  currency!: Currency;

  @MoneyProperty({ description: 'The money in the wallet now.', example: 12.345678901234 })
  balance!: ExactNumber;

  @MoneyProperty({ description: 'The smallest top-up.', example: 5 })
  min_amount!: ExactNumber;

  @MoneyProperty({ description: 'The largest top-up.', example: 10000 })
  max_amount!: ExactNumber;

  @ApiProperty({
    description: 'Amounts of top-ups to offer.',
    type: [Number],
    example: [10, 20, 50, 100, 500],
  })
  presets!: ExactNumber[];

  @ApiProperty({
    description: 'The providers of the site, also those that are not enabled.',
    type: [PaymentProviderResponse],
  })
  providers!: PaymentProviderResponse[];

  @MoneyProperty({ description: 'The balance below which the account gets a mail.', example: 5 })
  low_balance_threshold!: ExactNumber;
}
