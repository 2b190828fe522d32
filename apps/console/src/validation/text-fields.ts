import { z } from 'zod';

const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}]/u;

/** A title or a name: one line of 1 to `max` characters. Surrounding spaces are removed. */
export const singleLineText = (max: number) =>
  z
    // The message for a missing field is set by the validation pipe.
    .string({ error: ({ input }) => (input === undefined ? undefined : 'must be a text') })
    .trim()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .refine((text) => !UNPRINTABLE.test(text), 'must be one line without control characters');
