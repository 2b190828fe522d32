import { ApiError } from '../http/errors';
import type { PromptReading } from '../text/prompt';
import { isObject, type JsonObject, missing, wrongType, wrongValue } from '../http/validation';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];
const TOKENS_PER_MESSAGE = 4;

/** The parts of a message that affect the answer. */
export interface ReadMessage {
  role: string;
  text: string;
}

/** A conversation, after all its texts were read into a prompt. */
export interface Conversation {
  last: ReadMessage;
  messageCount: number;
}

/** Reads every message into `reading`. Throws a 400 that names the first invalid one. */
export function readMessages(body: JsonObject, reading: PromptReading): Conversation {
  const { messages } = body;
  if (messages === undefined) throw missing('messages');
  if (!Array.isArray(messages)) throw wrongType('messages', 'an array of objects', messages);
  if (messages.length === 0) {
    const message = "Invalid 'messages': empty array. Expected an array with minimum length 1.";
    throw new ApiError(400, message, 'messages', 'empty_array');
  }
  let last: ReadMessage = { role: '', text: '' };
  messages.forEach((message: unknown, index) => {
    last = readMessage(message, `messages[${index}]`, reading);
  });
  return { last, messageCount: messages.length };
}

/** The prompt tokens of a conversation: its words and 4 per message, at most the number of bytes of the request. */
export function conversationTokens(words: number, messageCount: number, bodyBytes: number): number {
  return Math.min(words + TOKENS_PER_MESSAGE * messageCount, bodyBytes);
}

function readMessage(message: unknown, path: string, reading: PromptReading): ReadMessage {
  if (!isObject(message)) throw wrongType(path, 'an object', message);
  const role = readRole(message, path);
  const { content } = message;
  if (typeof content === 'string') {
    reading.read(content);
    return { role, text: content };
  }
  if (Array.isArray(content)) return { role, text: readParts(content, `${path}.content`, reading) };
  // An assistant message that only calls tools has no content.
  if (role === 'assistant' && (content === null || content === undefined)) return { role, text: '' };
  if (content === undefined) throw missing(`${path}.content`);
  throw wrongType(`${path}.content`, 'a string or an array of parts', content);
}

function readRole({ role }: JsonObject, path: string): string {
  if (role === undefined) throw missing(`${path}.role`);
  if (typeof role !== 'string') throw wrongType(`${path}.role`, 'a string', role);
  if (!ROLES.includes(role)) throw wrongValue(`${path}.role`, role, ROLES);
  return role;
}

function readParts(parts: unknown[], path: string, reading: PromptReading): string {
  const texts: string[] = [];
  parts.forEach((part, index) => {
    if (!isObject(part)) throw wrongType(`${path}[${index}]`, 'an object', part);
    if (part['type'] !== 'text') return;
    const { text } = part;
    if (typeof text !== 'string') throw wrongType(`${path}[${index}].text`, 'a string', text);
    reading.read(text);
    texts.push(text);
  });
  return texts.join('\n');
}
