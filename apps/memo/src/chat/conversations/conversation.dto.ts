import { pageQuery } from '@inference/http';
import { z } from 'zod';

const AFTER_FORM = 'must be the number n of a message';

/** Query of a conversation's messages: those after message `after`, at most `limit`. */
export const messagesQuery = z.object({
  limit: pageQuery.shape.limit,
  after: z
    .string('must be given once')
    .regex(/^\d{1,9}$/, AFTER_FORM)
    .transform(Number)
    .default(0),
});
export type MessagesQuery = z.output<typeof messagesQuery>;
