import { type ToolDefinition } from '@inference/agent-client';

/** The tools that a text describes as JSON, in OpenAI's shape; undefined if it does not. Nothing describes no tools. */
export function toolsIn(text: string): ToolDefinition[] | undefined {
  if (text.trim() === '') return [];
  try {
    const tools: unknown = JSON.parse(text);
    return Array.isArray(tools) && tools.every(isTool) ? tools : undefined;
  } catch {
    return undefined;
  }
}

function isTool(value: unknown): value is ToolDefinition {
  const { type, function: described } = (value ?? {}) as Partial<ToolDefinition>;
  return type === 'function' && typeof described?.name === 'string';
}
