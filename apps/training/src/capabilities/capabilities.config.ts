import { z } from 'zod';

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
