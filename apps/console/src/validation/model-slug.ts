import { z } from 'zod';

/** A model's name as its inference engine spells it, for example `meta-llama/Llama-3.1-8B` or `qwen3:0.6b`. */
export const modelSlug = z
  .string()
  .regex(/^[A-Za-z0-9._~/@:+-]{1,200}$/, 'must have 1 to 200 of A-Z, a-z, 0-9 and . _ ~ / @ : + -');
