import { z } from 'zod';
import { queryFields } from '../retrieval/search/search.dto';

/** The body of POST …/chat. Without `conversation_id` a new conversation starts. */
export const chatBody = z.strictObject({ ...queryFields, conversation_id: z.string().max(64).optional() });
export type ChatBody = z.output<typeof chatBody>;
