import { type ProxyRequest } from '../request/proxy-request';

/** Deepest nesting at which text is read; messages of the OpenAI API are less deep. */
const MAX_DEPTH = 12;

const isTokenIds = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'number');

function textOf(value: unknown, into: string[], depth = 0): void {
  if (depth > MAX_DEPTH) return;
  if (typeof value === 'string') into.push(value);
  // A prompt of token ids counts as that many one-token words.
  else if (isTokenIds(value)) into.push(' a'.repeat(value.length));
  else if (Array.isArray(value)) for (const item of value) textOf(item, into, depth + 1);
  else if (value !== null && typeof value === 'object') {
    const { text, content, name, arguments: args, function: call } = value as Record<string, unknown>;
    const { tool_calls: calls, function_call: oldCall } = value as Record<string, unknown>;
    for (const part of [name, text, content, args, call, calls, oldCall])
      if (part !== undefined) textOf(part, into, depth + 1);
  }
}

/** Returns the text of a prompt, to count its tokens if the upstream reports no usage. */
export function promptText({ body }: ProxyRequest): string {
  const texts: string[] = [];
  for (const part of [body.messages, body.prompt, body.input]) textOf(part, texts);
  // The model reads the whole schema of each tool.
  for (const part of [body.tools, body.functions]) if (part) texts.push(JSON.stringify(part));
  return texts.join('\n');
}

const PRODUCED_FIELDS = ['content', 'refusal', 'tool_calls', 'function_call'];

/** Returns the text that a choice of a response or of a stream chunk adds to the answer. */
export function choiceText(choice: unknown): string {
  const { message, delta, text } = (choice ?? {}) as Record<string, unknown>;
  const texts: string[] = [];
  textOf(text, texts);
  const part = (delta ?? message ?? {}) as Record<string, unknown>;
  // Two names of one field; some servers send both with the same text.
  textOf(part.reasoning_content ?? part.reasoning, texts);
  for (const field of PRODUCED_FIELDS) textOf(part[field], texts);
  return texts.join('');
}
