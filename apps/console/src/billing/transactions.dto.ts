import { z } from 'zod';

const LIMIT_FORM = 'must be a whole number from 1 to 100';

export const transactionsQuery = z.object({
  limit: z
    .string('must be given once')
    .regex(/^\d{1,3}$/, LIMIT_FORM)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= 100, LIMIT_FORM)
    .default(50),
  cursor: z.string('must be given once').optional(),
});
export type TransactionsQuery = z.output<typeof transactionsQuery>;
