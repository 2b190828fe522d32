import { env, loadConfig } from '@inference/config';
import { rateLimitFields } from '@inference/rate-limits';
import { ApiException, CODES } from '@inference/training-envelope';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { z } from 'zod';

/** Provides each feature with its own slice of the configuration. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(config: TrainingConfig): DynamicModule {
    const slices = [
      { provide: PRICES_CONFIG, useValue: config.prices },
      { provide: CAPABILITIES_CONFIG, useValue: config.capabilities },
      { provide: QUOTAS_CONFIG, useValue: config.quotas },
    ];
    return { module: ConfigModule, providers: slices, exports: slices.map(({ provide }) => provide) };
  }
}

/** Every value that the specification names (spec: Training capabilities). */
const METHODS = 'sft, opd, grpo, dpo, kto, orpo, simpo, ppo, pretrain, distill, qat';
const LORA_METHODS = 'lora, qlora, dora, none';
const EXPORT_FORMATS = 'gguf, mlx, mnn, qnn';
const INTERVENTION_CONDITIONS = 'spike, drop, kl_explode, len_surge, repeat_up';
/** The attention and feed-forward projections, under their usual names in decoder models. */
const TARGET_MODULES = 'q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj';

const NAME = /^[A-Za-z0-9_][A-Za-z0-9._/:+-]{0,199}$/;

const names = () =>
  z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .refine(
      (list) => list.every((name) => NAME.test(name)),
      'must be a list such as a, b, of 1 to 200 letters, digits and . _ / : + - each',
    )
    .refine((list) => new Set(list).size === list.length, 'must not name anything twice');

export const capabilitiesFields = {
  /** Comma-separated base models that can be trained; none by default. */
  TRAINING_MODELS: names().default([]),
  /** Comma-separated training methods; all that the specification names by default. */
  TRAINING_METHODS: names().prefault(METHODS),
  /** Comma-separated LoRA methods; all that the specification names by default. */
  TRAINING_LORA_METHODS: names().prefault(LORA_METHODS),
  /** Comma-separated export formats; all that the specification names by default. */
  TRAINING_EXPORT_FORMATS: names().prefault(EXPORT_FORMATS),
  /** Comma-separated modules that LoRA can target. */
  TRAINING_TARGET_MODULES: names().prefault(TARGET_MODULES),
  /** Whether a training is stopped or adjusted automatically on one of the intervention conditions. */
  TRAINING_AUTO_INTERVENTION: z.enum(['true', 'false'], 'must be true or false').default('true'),
  /** Comma-separated conditions of automatic interventions. */
  TRAINING_INTERVENTION_CONDITIONS: names().prefault(INTERVENTION_CONDITIONS),
};

type CapabilitiesFields = {
  [Name in keyof typeof capabilitiesFields]: z.output<(typeof capabilitiesFields)[Name]>;
};

export interface CapabilitiesConfig {
  models: string[];
  methods: string[];
  loraMethods: string[];
  exportFormats: string[];
  targetModules: string[];
  autoIntervention: boolean;
  interventionConditions: string[];
}

export const CAPABILITIES_CONFIG = Symbol('CAPABILITIES_CONFIG');

export const capabilitiesOf = (config: CapabilitiesFields): CapabilitiesConfig => ({
  models: config.TRAINING_MODELS,
  methods: config.TRAINING_METHODS,
  loraMethods: config.TRAINING_LORA_METHODS,
  exportFormats: config.TRAINING_EXPORT_FORMATS,
  targetModules: config.TRAINING_TARGET_MODULES,
  autoIntervention: config.TRAINING_AUTO_INTERVENTION === 'true',
  interventionConditions: config.TRAINING_INTERVENTION_CONDITIONS,
});

export const pricesFields = env.trainingPrice;

export interface PricesConfig {
  /** Model that the usage events of training name. */
  tokenPriceSlug: string;
}

export const PRICES_CONFIG = Symbol('PRICES_CONFIG');

export const pricesOf = (config: { TRAINING_PRICE_SLUG: string }): PricesConfig => ({
  tokenPriceSlug: config.TRAINING_PRICE_SLUG,
});

/** 503: no price of training is published. */
export const tokenPriceMissing = () =>
  new ApiException(CODES.tokenPriceMissing, 'no price of training is published');

/** 503: the price of training, of an older version, has none of a GPU hour. */
export const gpuPriceMissing = () =>
  new ApiException(CODES.gpuPriceMissing, 'the published price of training has no GPU hour');

/** 503: no exchange rate to USD is stored. */
export const exchangeRateMissing = () =>
  new ApiException(CODES.exchangeRateMissing, 'no exchange rate to USD is stored');

/** Largest total of a quota, in tokens. JSON numbers are exact integers up to 9e15. */
export const MAX_QUOTA_TOKENS = 10 ** 15;

export const quotasFields = {
  /** Total quota in tokens of an account whose quota no admin has set; 0 by default. */
  TRAINING_DEFAULT_QUOTA_TOKENS: env.integer(0, MAX_QUOTA_TOKENS).default(0),
};

export interface QuotasConfig {
  /** Total of an account whose quota no admin has set. */
  defaultTotalTokens: number;
}

export const QUOTAS_CONFIG = Symbol('QUOTAS_CONFIG');

export const quotasOf = (config: { TRAINING_DEFAULT_QUOTA_TOKENS: number }): QuotasConfig => ({
  defaultTotalTokens: config.TRAINING_DEFAULT_QUOTA_TOKENS,
});

export const trainersFields = {
  /** Comma-separated secrets with which trainers report usage; all are valid. Without one, no trainer can report. */
  TRAINER_CREDENTIALS: env.serviceSecrets().optional(),
};

/** Secrets of the trainers, in the form that the credentials module takes. */
export type TrainersConfig = Record<'trainer', string[]>;

export const trainersOf = (config: { TRAINER_CREDENTIALS?: string[] | undefined }): TrainersConfig => ({
  trainer: config.TRAINER_CREDENTIALS ?? [],
});

export const fields = z.object({
  ...env.service,
  ...env.database,
  ...env.callers,
  ...env.staff,
  ...rateLimitFields,
  ...pricesFields,
  ...capabilitiesFields,
  ...quotasFields,
  ...trainersFields,
});

const schema = fields.transform((config) => ({
  ...config,
  prices: pricesOf(config),
  capabilities: capabilitiesOf(config),
  quotas: quotasOf(config),
  trainers: trainersOf(config),
}));

/** The names of all environment variables that the training service reads. */
export const VARIABLES = Object.keys(fields.shape);

export type TrainingConfig = z.output<typeof schema>;

/** Reads the configuration from the environment. Throws a ConfigError that names every fault. */
export function readTrainingConfig(environment?: NodeJS.ProcessEnv): TrainingConfig {
  return loadConfig(schema, environment);
}
