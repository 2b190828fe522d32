import { z } from 'zod';
import { MAX_CONTENT_CHARS, toolCallResults, toolCalls } from '../tool-calls/tool.dto';

// Clients may serialise every field: an optional field that is null or an empty list counts as absent.

/** Calls of the model that the client sends back; stored with the event. */
const sentBackCalls = toolCalls.nullish().transform((calls) => (calls?.length ? calls : undefined));

const userEvent = z.object({
  role: z.literal('user'),
  content: z.string().min(1, 'must not be empty').max(MAX_CONTENT_CHARS),
  tool_calls: sentBackCalls,
  tool_call_results: z
    .array(z.unknown())
    .max(0, 'belong to the role tool')
    .nullish()
    .transform(() => undefined),
});

const toolEvent = z.object({
  role: z.literal('tool'),
  content: z.string().max(MAX_CONTENT_CHARS).nullish(),
  tool_calls: sentBackCalls,
  tool_call_results: toolCallResults,
});

/** The body of a posted event (spec: Agent event). */
export const eventBody = z.discriminatedUnion('role', [userEvent, toolEvent]);
export type EventBody = z.output<typeof eventBody>;

export const postQuery = z.object({
  /** Treatment of a message while another turn is open: `enqueue` waits, `interrupt` cancels that turn. Default: 409. */
  on_busy: z.enum(['enqueue', 'interrupt']).optional(),
});
export type PostQuery = z.output<typeof postQuery>;

const SEQ = /^\d{1,15}$/;
const LIMIT_FORM = 'must be a whole number from 1 to 100';

/** `after` is the last `seq` that the caller has. */
export const eventsQuery = z.object({
  after: z
    .string('must be given once')
    .regex(SEQ, 'must be the seq of an event')
    .transform(Number)
    .default(0),
  limit: z
    .string('must be given once')
    .regex(/^\d{1,3}$/, LIMIT_FORM)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= 100, LIMIT_FORM)
    .default(50),
});
export type EventsQuery = z.output<typeof eventsQuery>;

export const resumeQuery = z.object({ after: z.string('must be given once').optional() });
export type ResumeQuery = z.output<typeof resumeQuery>;
