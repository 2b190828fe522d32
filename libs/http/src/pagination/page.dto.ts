import { IntegerParameter, TextField } from '@inference/dto';
import { z } from 'zod';

const LIMIT_FORM = 'must be a whole number from 1 to 100';

/** Query of a list with pages: `limit` from 1 to 100, 50 by default; `cursor` from the previous page. */
export const pageQuery = z.object({
  limit: z
    .string('must be given once')
    .regex(/^\d{1,3}$/, LIMIT_FORM)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= 100, LIMIT_FORM)
    .default(50),
  cursor: z.string('must be given once').optional(),
});
export type PageQuery = z.output<typeof pageQuery>;

/** Query of a list with pages. */
export class PageQueryDto {
  @IntegerParameter({ description: 'Most entries of a page.', min: 1, max: 100, optional: true, default: 50 })
  limit: number = 50;

  @TextField({ description: 'The `next_cursor` of the previous page.', optional: true, minLength: 0 })
  cursor?: string;
}
