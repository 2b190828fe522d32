import { type Currency } from '@inference/config';
import { CurrencyProperty, MoneyProperty } from '@inference/dto';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';
import { AmountField, MONEY_BOUNDS } from '../../validation/amount-field.decorator';
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

  @MoneyProperty({
    description: 'The balance below which the account gets a mail; null: it gets none.',
    example: 5,
    nullable: true,
  })
  low_balance_threshold!: ExactNumber | null;
}

/** An absent field does not change. */
export class UpdateBillingSettingsDto {
  @AmountField({
    ...MONEY_BOUNDS,
    description:
      'The balance below which the account gets a mail, in the currency of the wallet; null: it gets none. By default the site chooses it.',
    example: 7.5,
    rule: [(picos) => picos > 0n, 'must be positive'],
    optional: true,
    nullable: true,
  })
  low_balance_threshold?: bigint | null;
}
