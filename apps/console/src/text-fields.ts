import { z } from 'zod';

const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}]/u;

/** What people read as a title or a name: 1 to `max` characters without the spaces around it. */
export const line = (max: number) =>
  z
    // What is missing is called so elsewhere.
    .string({ error: ({ input }) => (input === undefined ? undefined : 'must be a text') })
    .trim()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .refine((text) => !UNPRINTABLE.test(text), 'must be one line without control characters');
