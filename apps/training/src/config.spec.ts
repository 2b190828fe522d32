import { ConfigError } from '@inference/config';
import { TEST_API_KEY_HASH_SECRET } from '@inference/testing';
import { readTrainingConfig } from './config';

const MINIMUM = {
  SITE: 'intl',
  PORT: '0',
  DATABASE_URL: 'postgres://u:p@127.0.0.1:1/none',
  CONSOLE_URL: 'http://127.0.0.1:1',
  API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
};

test('defaults to the offers of the specification, and to no models, tokens or trainers', () => {
  expect(readTrainingConfig(MINIMUM)).toMatchObject({
    TRAINING_MODELS: [],
    TRAINING_METHODS: [
      ...['sft', 'opd', 'grpo', 'dpo', 'kto', 'orpo', 'simpo', 'ppo', 'pretrain', 'distill', 'qat'],
    ],
    TRAINING_LORA_METHODS: ['lora', 'qlora', 'dora', 'none'],
    TRAINING_EXPORT_FORMATS: ['gguf', 'mlx', 'mnn', 'qnn'],
    TRAINING_TARGET_MODULES: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
    TRAINING_AUTO_INTERVENTION: 'true',
    TRAINING_INTERVENTION_CONDITIONS: ['spike', 'drop', 'kl_explode', 'len_surge', 'repeat_up'],
    TRAINING_PRICE_SLUG: 'training',
    TRAINING_DEFAULT_QUOTA_TOKENS: 0,
  });
  expect(readTrainingConfig(MINIMUM).TRAINER_CREDENTIALS).toBeUndefined();
});

test('accepts lists with spaces around the commas', () => {
  const config = readTrainingConfig({ ...MINIMUM, TRAINING_MODELS: 'acme/base-7b , other:v1.2' });
  expect(config.TRAINING_MODELS).toEqual(['acme/base-7b', 'other:v1.2']);
});

test('names all invalid variables at once, and no secret', () => {
  const faulty = {
    ...MINIMUM,
    TRAINING_MODELS: 'a,,b',
    TRAINING_METHODS: 'sft,dpo,sft',
    TRAINING_LORA_METHODS: 'lo ra',
    TRAINING_EXPORT_FORMATS: '-',
    TRAINING_TARGET_MODULES: 'x'.repeat(201),
    TRAINING_AUTO_INTERVENTION: 'yes',
    TRAINING_INTERVENTION_CONDITIONS: ',',
    TRAINING_PRICE_SLUG: 'two words',
    TRAINING_DEFAULT_QUOTA_TOKENS: '1e6',
    TRAINER_CREDENTIALS: 'too-short-a-secret',
  };
  try {
    readTrainingConfig(faulty);
    throw new Error('It was accepted.');
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const { faults, message } = error as ConfigError;
    const names = new Set(faults.map((fault) => fault.split(/[: ]/)[0]));
    expect([...names].sort()).toEqual(
      Object.keys(faulty)
        .filter((name) => !(name in MINIMUM))
        .sort(),
    );
    expect(message).not.toContain('too-short');
  }
});

test.each(['-1', '1.5', '1000000000000001', 'many'])('refuses a default quota of %s', (value) => {
  expect(() => readTrainingConfig({ ...MINIMUM, TRAINING_DEFAULT_QUOTA_TOKENS: value })).toThrow(
    'TRAINING_DEFAULT_QUOTA_TOKENS',
  );
});
