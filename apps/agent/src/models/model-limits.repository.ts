import { type Executor } from '@inference/database';
import { EVERY_MODEL } from '@inference/serving';

/** Context of a model of which none is known. */
const DEFAULT_CONTEXT_TOKENS = 32_768;
/** Largest part of the context that is reserved for the answer unless it is known how long one may be. */
const MAX_DEFAULT_OUTPUT_TOKENS = 4_096;

interface ModelLimits {
  /** Size of the model's context, prompt and answer together. */
  context_tokens: number;
  /** Part of the context that is reserved for the answer; less than all of it. */
  max_output_tokens: number;
}

/** What is known of a model. Null: not known. */
interface KnownLimits {
  context: number | null;
  output: number | null;
}

function limitsOf(known: KnownLimits): ModelLimits {
  const context = known.context ?? DEFAULT_CONTEXT_TOKENS;
  const reserved = Math.min(MAX_DEFAULT_OUTPUT_TOKENS, Math.ceil(context / 4));
  const { output } = known;
  return {
    context_tokens: context,
    max_output_tokens: output !== null && output < context ? output : reserved,
  };
}

/** The limits of a model as operators have stored them, or else those of every model. @param name a slug or an alias */
export async function readModelLimits(executor: Executor, name: string): Promise<ModelLimits> {
  const { rows } = await executor.query<KnownLimits>(
    `SELECT context_tokens AS context, max_output_tokens AS output FROM serving.models
     WHERE slug IN ($1, $2) OR $1 = ANY (aliases) ORDER BY slug = $1 DESC, slug = $2 LIMIT 1`,
    [name, EVERY_MODEL],
  );
  return limitsOf(rows[0] ?? { context: null, output: null });
}
