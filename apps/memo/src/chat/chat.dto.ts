import { z } from 'zod';
import { queryFields } from '../search/search.dto';

/** The body of POST …/chat (spec: Workspace chat); without a conversation a new one begins. */
export const chatBody = z.strictObject({ ...queryFields, conversation_id: z.string().max(64).optional() });
export type ChatBody = z.output<typeof chatBody>;
