import { MoneyProperty } from '@inference/dto';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';

const ListProperty = (description: string, example: string[]) =>
  ApiProperty({ description, type: [String], example });

export class TokenQuotaResponse {
  @ApiProperty({
    description: 'The quota in tokens. For an API key with limits: what is left of the account’s quota.',
    type: 'integer',
    example: 1_000_000,
  })
  total!: number;

  @ApiProperty({
    description:
      'Tokens that trainings have used. For an API key with limits 0: trainings are recorded without a key.',
    type: 'integer',
    example: 250_000,
  })
  used!: number;
}

export class AutoInterventionResponse {
  @ApiProperty({ description: 'Whether a training is stopped or adjusted on one of the conditions.' })
  enabled!: boolean;

  @ListProperty('The conditions.', ['spike', 'drop', 'kl_explode', 'len_surge', 'repeat_up'])
  conditions!: string[];
}

export class TrainingPricingResponse {
  @MoneyProperty({ description: 'Price of a GPU hour in USD, on both sites.', example: 2.99 })
  gpu_hour_usd!: ExactNumber;

  @MoneyProperty({ description: 'Price of a million tokens in USD, on both sites.', example: 3 })
  token_per_m_usd!: ExactNumber;

  @ApiProperty({ description: 'When a training is stopped or adjusted automatically.' })
  auto_intervention!: AutoInterventionResponse;
}

/** Spec: Training capabilities. */
export class CapabilitiesResponse {
  @ListProperty('Base models that can be trained.', ['demo-base-model'])
  models!: string[];

  @ListProperty('Training methods.', ['sft', 'dpo', 'grpo'])
  methods!: string[];

  @ListProperty('LoRA methods.', ['lora', 'qlora', 'dora', 'none'])
  lora_methods!: string[];

  @ListProperty('Formats in which a trained model can be exported.', ['gguf', 'mlx', 'mnn', 'qnn'])
  export_formats!: string[];

  @ListProperty('Modules that LoRA can target.', ['q_proj', 'v_proj'])
  target_modules!: string[];

  @ApiProperty({ description: 'The token quota of the account.' })
  quota!: TokenQuotaResponse;

  @MoneyProperty({
    description:
      'Balance of the wallet in the currency of the site. For an API key with a spending limit: what the key can still spend of it.',
    example: 25,
  })
  balance!: ExactNumber;

  @ApiProperty({ description: 'What training costs.' })
  pricing!: TrainingPricingResponse;
}
