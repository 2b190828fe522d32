import { z } from 'zod';

// Tools have OpenAI's shapes: the definitions that a session offers its model, the model's calls, and the caller's results.

/** Longest text of a message, of the arguments of a call, or of the result of a call. */
export const MAX_CONTENT_CHARS = 262_144;
const MAX_TOOLS = 128;
const MAX_CALLS = 128;
const FUNCTION_NAME = /^[A-Za-z0-9_-]{1,64}$/;

const callId = z.string().min(1).max(200);

const toolDefinition = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().regex(FUNCTION_NAME, 'must be 1 to 64 of A-Z a-z 0-9 _ -'),
    description: z.string().max(16_384).optional(),
    /** A JSON schema of the arguments. */
    parameters: z.record(z.string(), z.unknown()).optional(),
    strict: z.boolean().nullable().optional(),
  }),
});
export type ToolDefinition = z.output<typeof toolDefinition>;

export const toolDefinitions = z
  .array(toolDefinition)
  .max(MAX_TOOLS)
  .refine(
    (tools) => new Set(tools.map((tool) => tool.function.name)).size === tools.length,
    'names of functions must differ',
  );

const toolCall = z.object({
  id: callId,
  type: z.literal('function'),
  function: z.object({ name: z.string().min(1).max(200), arguments: z.string().max(MAX_CONTENT_CHARS) }),
});
export type ToolCall = z.output<typeof toolCall>;
export const toolCalls = z.array(toolCall).max(MAX_CALLS);

const toolCallResult = z.strictObject({
  tool_call_id: callId,
  content: z.string().max(MAX_CONTENT_CHARS),
  is_error: z
    .boolean()
    .nullish()
    .transform((isError) => isError ?? undefined),
});
export type ToolCallResult = z.output<typeof toolCallResult>;
export const toolCallResults = z
  .array(toolCallResult)
  .min(1)
  .max(MAX_CALLS)
  .refine(
    (results) => new Set(results.map((result) => result.tool_call_id)).size === results.length,
    'each tool_call_id must come once',
  );
