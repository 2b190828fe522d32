import { env } from '@inference/config';
import { z } from 'zod';

export const MODEL_DETAILS_CONFIG = Symbol('MODEL_DETAILS_CONFIG');

export const MODALITIES = ['text', 'image', 'audio', 'video', 'embedding'] as const;
export type Modality = (typeof MODALITIES)[number];

const slug = z.string().min(1).max(200);
const modalities = z
  .array(z.enum(MODALITIES, `must be ${MODALITIES.slice(0, -1).join(', ')} or ${MODALITIES.at(-1)}`))
  .min(1, 'must name one')
  .refine((names) => new Set(names).size === names.length, 'must name each once');

export const modelDetailFields = {
  /** JSON object by model slug; `*` is for every model that is not named. The gateway holds calls to the limits. */
  MODEL_LIMITS: env
    .json(
      z.record(
        slug,
        z.object({
          context_tokens: z.int().positive().optional(),
          max_output_tokens: z.int().positive().optional(),
          input_modalities: modalities.optional(),
          output_modalities: modalities.optional(),
        }),
      ),
    )
    .optional(),
};

type Fields = z.output<z.ZodObject<typeof modelDetailFields>>;

/** What is known of a model beside its prices. Undefined is not known. */
export interface ModelDetails {
  contextTokens: number | undefined;
  maxOutputTokens: number | undefined;
  inputModalities: Modality[] | undefined;
  outputModalities: Modality[] | undefined;
}

/** By model slug; `*` is for every model that is not named. */
export type ModelDetailsConfig = ReadonlyMap<string, ModelDetails>;

export const modelDetailsOf = ({ MODEL_LIMITS }: Fields): ModelDetailsConfig =>
  new Map(
    Object.entries(MODEL_LIMITS ?? {}).map(([name, details]) => [
      name,
      {
        contextTokens: details.context_tokens,
        maxOutputTokens: details.max_output_tokens,
        inputModalities: details.input_modalities,
        outputModalities: details.output_modalities,
      },
    ]),
  );
