import type { ReadMessage } from '../endpoints/messages';
import { numberAt, tokenAt } from './text';
import { isObject, type JsonObject, missing, wrongType } from '../http/validation';

/** A function that the request offers. */
interface OfferedTool {
  name: string;
  parameters: unknown;
}

/** The call of one function. Its arguments are split into the pieces that are streamed. */
export interface ToolCall {
  name: string;
  argumentPieces: string[];
}

const MOST_DEPTH = 4;

/**
 * Returns the call that answers a conversation, or undefined if the answer is text. A function is called if
 * `tool_choice` requires it, or if functions are offered and the last message contains the word "tool" and is not a
 * tool result.
 */
export function chooseToolCall(body: JsonObject, last: ReadMessage, seed: number): ToolCall | undefined {
  const tools = readTools(body);
  const { tool_choice: choice } = body;
  const first = tools[0];
  if (first === undefined || choice === 'none') return undefined;
  const demanded = isObject(choice) ? tools.find((tool) => tool.name === namedFunction(choice)) : undefined;
  const mentionsTool = last.role !== 'tool' && /\btool\b/i.test(last.text);
  if (demanded === undefined && choice !== 'required' && !mentionsTool) return undefined;
  const { name, parameters } = demanded ?? first;
  return { name, argumentPieces: cut(JSON.stringify(exampleOf(parameters, seed, 0) ?? {})) };
}

function readTools({ tools }: JsonObject): OfferedTool[] {
  if (tools === undefined || tools === null) return [];
  if (!Array.isArray(tools)) throw wrongType('tools', 'an array of objects', tools);
  return tools.map((tool: unknown, index) => {
    const path = `tools[${index}].function`;
    const described = isObject(tool) ? tool['function'] : undefined;
    if (!isObject(described)) throw missing(path);
    const { name, parameters } = described;
    if (typeof name !== 'string' || name === '') throw missing(`${path}.name`);
    return { name, parameters: parameters ?? { type: 'object' } };
  });
}

function namedFunction(choice: JsonObject): unknown {
  return isObject(choice['function']) ? choice['function']['name'] : undefined;
}

/** A value that matches the most common forms of a JSON schema. The same seed returns the same value. */
function exampleOf(schema: unknown, seed: number, depth: number): unknown {
  if (!isObject(schema) || depth > MOST_DEPTH) return null;
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  if ('const' in schema) return schema['const'];
  const { type } = schema;
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return exampleObject(schema, seed, depth);
    case 'array':
      return 'items' in schema ? [exampleOf(schema['items'], seed, depth + 1)] : [];
    case 'integer':
    case 'number':
      return numberAt(seed, depth) % 100;
    case 'boolean':
      return true;
    case 'string':
      return tokenAt(seed, 0);
    default:
      return null;
  }
}

function exampleObject({ properties }: JsonObject, seed: number, depth: number): JsonObject {
  if (!isObject(properties)) return {};
  const names = Object.keys(properties);
  const values = names.map((name, index) => exampleOf(properties[name], numberAt(seed, index), depth + 1));
  return Object.fromEntries(names.map((name, index) => [name, values[index]]));
}

/** Each word, and the punctuation between words, is one token. */
function cut(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|[^\p{L}\p{N}_]+/gu) ?? [];
}
