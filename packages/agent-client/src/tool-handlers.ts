import { type ToolCall, type ToolCallResult } from './events/event.ts';

export interface ToolContext {
  call: ToolCall;
  signal?: AbortSignal;
}

/**
 * Executes a tool call. The model wrote the arguments: validate them. The return value becomes the result, as JSON
 * unless it is a string. A thrown error becomes an error result, whose message the model reads.
 */
export type ToolHandler = (args: Record<string, unknown>, context: ToolContext) => unknown;

export type ToolHandlers = Record<string, ToolHandler>;

function parseArguments(written: string): Record<string, unknown> {
  // Some models write empty arguments for a tool without parameters.
  if (written.trim() === '') return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(written);
  } catch {
    throw new Error('The arguments are no JSON.');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new Error('The arguments are no JSON object.');
  }
  return parsed as Record<string, unknown>;
}

async function contentOf(handlers: ToolHandlers, context: ToolContext): Promise<string> {
  const { name, arguments: written } = context.call.function;
  const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  if (!handler) throw new Error(`There is no tool ${name}.`);
  const result = await handler(parseArguments(written), context);
  return typeof result === 'string' ? result : (JSON.stringify(result) ?? '');
}

/** Never rejects: errors become error results. */
async function resultOf(handlers: ToolHandlers, context: ToolContext): Promise<ToolCallResult> {
  try {
    return { tool_call_id: context.call.id, content: await contentOf(handlers, context) };
  } catch (error) {
    const content = error instanceof Error ? error.message : String(error);
    return { tool_call_id: context.call.id, content, is_error: true };
  }
}

/** Runs the calls concurrently. Returns one result for each call, in their order. */
export function runTools(
  handlers: ToolHandlers,
  calls: readonly ToolCall[],
  signal?: AbortSignal,
): Promise<ToolCallResult[]> {
  return Promise.all(calls.map((call) => resultOf(handlers, { call, signal })));
}
