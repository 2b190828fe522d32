import { type DocumentedOperation } from '../requests/requests';
import { filled, list, text, withValueAt } from './worst-values';

/** Sound bodies of the largest size: what a route does with them after they have been read. */
type Shape = [kind: string, path: string, jsonOf: (bytes: number) => string];

/** Fewer than 100,000 names with two of each entry. */
const MOST_ENTRIES = 49_000;
const BASE64 = 'iVBORw0K';
const QUOTES = '\\"';

const entries = (entry: string) => (bytes: number) =>
  list(Math.min(bytes, MOST_ENTRIES * (entry.length + 1)), entry);
const letters = (bytes: number) => text(bytes, 'a');
const message = (contentOf: (bytes: number) => string) => (bytes: number) =>
  `[{"role":"user","content":${contentOf(bytes)}}]`;
const called = (inputOf: (bytes: number) => string) => (bytes: number) =>
  `[{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"a":${inputOf(bytes)}}}]},` +
  '{"role":"user","content":[{"type":"tool_result","tool_use_id":"c"}]}]';
const item = (contentOf: (bytes: number) => string) => (bytes: number) => `[${contentOf(bytes)}]`;

const CHAT: Shape[] = [
  ['a text', 'messages', message(letters)],
  ['Chinese', 'messages', message((bytes) => text(bytes / 3, '中'))],
  [
    'a picture',
    'messages',
    message(
      (bytes) =>
        `[{"type":"image_url","image_url":{"url":"data:image/png;base64,${filled(bytes, BASE64)}"}}]`,
    ),
  ],
  ['messages', 'messages', entries('{"role":"user","content":"a"}')],
  ['parts', 'messages', message(entries('{"type":"text","text":"a"}'))],
  ['tools', 'tools', entries('{"type":"function","function":{"name":"f"}}')],
  [
    'a tool',
    'tools',
    (bytes) => `[{"type":"function","function":{"name":"f","description":${letters(bytes)}}}]`,
  ],
  ['documents', 'documents', entries('{"text":"a"}')],
  ['stream options', 'stream_options', (bytes) => `{"x":${letters(bytes)}}`],
];

const MESSAGES: Shape[] = [
  ['a text', 'messages', message(letters)],
  [
    'a picture',
    'messages',
    message(
      (bytes) =>
        `[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${filled(bytes, BASE64)}"}}]`,
    ),
  ],
  ['messages', 'messages', entries('{"role":"user","content":"a"}')],
  ['blocks', 'messages', message(entries('{"type":"text","text":"a"}'))],
  ['an input of quotes', 'messages', called((bytes) => text(bytes, QUOTES))],
  ['half an input of quotes', 'messages', called((bytes) => text(bytes / 2, QUOTES))],
  [
    'an input of long numbers',
    'messages',
    called((bytes) => list(Math.min(bytes, 10_000_000), '12345678901234567890')),
  ],
  ['instructions', 'system', letters],
  ['tools', 'tools', entries('{"name":"f","input_schema":{}}')],
  // A chat server does not get them.
  ['quotes', 'metadata', (bytes) => `{"user_id":${text(bytes, QUOTES)}}`],
  ['the most values', 'metadata', (bytes) => list(Math.min(bytes, 1_900_000), '0')],
  ['texts that end an answer', 'stop_sequences', (bytes) => list(Math.min(bytes, 3_900_000), '"a"')],
];

const RESPONSES: Shape[] = [
  ['a text', 'input', letters],
  ['items', 'input', entries('{"role":"user","content":"a"}')],
  [
    'a picture',
    'input',
    message(
      (bytes) => `[{"type":"input_image","image_url":"data:image/png;base64,${filled(bytes, BASE64)}"}]`,
    ),
  ],
  [
    'the input of a tool',
    'input',
    item(
      (bytes) => `{"type":"custom_tool_call","call_id":"c","name":"f","input":${text(bytes / 2, QUOTES)}}`,
    ),
  ],
  [
    'kept thoughts',
    'input',
    item((bytes) => `{"type":"reasoning","encrypted_content":"gw1:${filled(bytes, '5Lit')}"}`),
  ],
  ['instructions', 'instructions', letters],
  ['tools', 'tools', entries('{"type":"function","name":"f"}')],
  // A chat server does not get them.
  ['quotes', 'client_metadata', (bytes) => `{"a":${text(bytes, QUOTES)}}`],
  ['the most values', 'client_metadata', (bytes) => list(Math.min(bytes, 1_900_000), '0')],
];

const TEXTS: Shape[] = [
  ['a text', 'input', letters],
  ['texts', 'input', (bytes) => list(Math.min(bytes, 3_900_000), '"a"')],
];

const SHAPES: Record<string, Shape[]> = {
  'gateway createChatCompletion': CHAT,
  'gateway estimateChatCompletion': CHAT,
  'gateway createMessage': MESSAGES,
  'gateway countMessageTokens': MESSAGES,
  'gateway createResponse': RESPONSES,
  'gateway createEmbeddings': TEXTS,
  'gateway createModeration': TEXTS,
  'gateway createSpeech': [['a text', 'input', letters]],
  'gateway createImage': [['a text', 'prompt', letters]],
  'gateway rerank': [
    ['a text', 'query', letters],
    ['texts', 'documents', (bytes) => list(Math.min(bytes, 3_900_000), '"a"')],
    ['empty lists', 'documents', (bytes) => list(Math.min(bytes, 2_900_000), '[]')],
    // The sandbox repeats each `text` in its answer.
    ['a document', 'documents', item((bytes) => `{"text":"a","title":${text(bytes, QUOTES)}}`)],
    [
      '10,000 documents',
      'documents',
      (bytes) => list(bytes, `{"text":"a","title":${text(Math.floor(bytes / 10_000) - 26, 'a')}}`),
    ],
  ],
};

/** The largest sound bodies of an operation. @param base a small one */
export const shapesOf = (
  { name }: DocumentedOperation,
  base: unknown,
  bytes: number,
): [kind: string, body: () => string][] =>
  (SHAPES[name] ?? []).map(([kind, path, jsonOf]) => [
    `${kind} of the largest size in ${path}`,
    () => withValueAt(base, [path], jsonOf(bytes - JSON.stringify(base).length - 1_024)),
  ]);
