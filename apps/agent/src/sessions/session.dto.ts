import { z } from 'zod';
import { MAX_CONTENT_CHARS, toolDefinitions } from '../tool-calls/tool.dto';
import { SESSION_ID, SESSION_ID_FORM } from './session-id';

const MAX_METADATA_PAIRS = 64;
const MAX_TOOLS_CHARS = 131_072;

const fields = z.strictObject({
  id: z.string().regex(SESSION_ID, SESSION_ID_FORM).optional(),
  model: z.string().min(1).max(200).nullish(),
  system: z.string().max(MAX_CONTENT_CHARS).nullish(),
  tools: toolDefinitions
    .refine(
      (tools) => JSON.stringify(tools).length <= MAX_TOOLS_CHARS,
      `must have ${MAX_TOOLS_CHARS} characters at most`,
    )
    .default([]),
  metadata: z
    .record(z.string().min(1).max(64), z.string().max(512))
    .refine(
      (pairs) => Object.keys(pairs).length <= MAX_METADATA_PAIRS,
      `must have ${MAX_METADATA_PAIRS} pairs at most`,
    )
    .default({}),
});
/** The optional body of POST /v1/agents/sessions. */
export const sessionBody = z.preprocess((body) => body ?? {}, fields);
export type SessionBody = z.output<typeof sessionBody>;
