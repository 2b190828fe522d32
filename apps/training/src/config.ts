import { env, loadConfig } from '@inference/config';
import { z } from 'zod';

/** Every value that the specification names (spec: Training capabilities). */
const METHODS = 'sft, opd, grpo, dpo, kto, orpo, simpo, ppo, pretrain, distill, qat';
const LORA_METHODS = 'lora, qlora, dora, none';
const EXPORT_FORMATS = 'gguf, mlx, mnn, qnn';
const INTERVENTION_CONDITIONS = 'spike, drop, kl_explode, len_surge, repeat_up';
/** The projections of attention and of the feed-forward network, as the common decoder models call them. */
const TARGET_MODULES = 'q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj';

const NAME = /^[A-Za-z0-9_][A-Za-z0-9._/:+-]{0,199}$/;
/** JSON numbers are exact up to 9e15. */
export const MAX_QUOTA_TOKENS = 10 ** 15;

const names = () =>
  z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .refine(
      (list) => list.every((name) => NAME.test(name)),
      'must be a list such as a, b, of 1 to 200 letters, digits and . _ / : + - each',
    )
    .refine((list) => new Set(list).size === list.length, 'must not name anything twice');

const fields = {
  ...env.service,
  ...env.database,
  ...env.callers,
  ...env.trainingPrice,
  /** Base models that may be trained; none by default. */
  TRAINING_MODELS: names().default([]),
  TRAINING_METHODS: names().prefault(METHODS),
  TRAINING_LORA_METHODS: names().prefault(LORA_METHODS),
  TRAINING_EXPORT_FORMATS: names().prefault(EXPORT_FORMATS),
  TRAINING_TARGET_MODULES: names().prefault(TARGET_MODULES),
  TRAINING_AUTO_INTERVENTION: z.enum(['true', 'false'], 'must be true or false').default('true'),
  TRAINING_INTERVENTION_CONDITIONS: names().prefault(INTERVENTION_CONDITIONS),
  /** The name of the published GPU price that trainings are told; the first of the list by default. */
  TRAINING_GPU: z.string().max(200, 'must have at most 200 characters').optional(),
  /** The total of accounts whose own no admin has set. */
  TRAINING_DEFAULT_QUOTA_TOKENS: env.integer(0, MAX_QUOTA_TOKENS).default(0),
  /** What the trainers report usage with; without one nobody can. */
  TRAINER_CREDENTIALS: env.serviceSecrets().optional(),
};
const schema = z.object(fields);

/** The names of everything it reads. */
export const VARIABLES = Object.keys(fields);

export type TrainingConfig = z.output<typeof schema>;

export const TRAINING_CONFIG = Symbol('TRAINING_CONFIG');

/** The configuration from the environment; throws a ConfigError that names every fault. */
export function readTrainingConfig(environment?: NodeJS.ProcessEnv): TrainingConfig {
  return loadConfig(schema, environment);
}
