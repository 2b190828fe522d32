import { type Currency } from '@inference/config';
import { CurrencyProperty, MoneyProperty } from '@inference/dto';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';

export class EstimateResponse {
  @MoneyProperty({
    description: 'The most that the request can cost at the prices in force.',
    example: 0.0024706,
  })
  worst_case!: ExactNumber;

  @CurrencyProperty()
  currency!: Currency;

  @ApiProperty({
    type: 'integer',
    description:
      'The most tokens of the prompt: a token has at least one byte of the body. With pictures, audio or files the context length of the model.',
    example: 86,
  })
  input_tokens!: number;

  @ApiProperty({
    type: 'integer',
    description:
      'The most tokens of all answers: `max_tokens` or the limit that the gateway sets, times `n`.',
    example: 4096,
  })
  max_tokens!: number;
}
