import { withFields } from '../../../proxy/upstream-body';
import { type Fields, isGiven } from '../../fields';
import { membersOf, type ReadBody, readBody } from '../../json';
import { isReadableByChat, isReadableByMaker } from '../responses-input';
import { NATIVE_RESPONSES } from '../responses-native';
import { type StoredTurn } from './stored-responses.repository';

/** The items of requests and responses that are stored, as bytes where they are passed on and as objects where they are listed. */

const QUOTE = 0x22;
const COMMA = Buffer.from(',');

/** The items of a request as a list, which was read before: its input is a text or a list. */
export function inputOf(raw: Buffer): Buffer {
  const { start, end } = membersOf(raw, NATIVE_RESPONSES.fields).find(({ name }) => name === 'input')!;
  const input = raw.subarray(start, end);
  if (input[0] !== QUOTE) return input;
  return Buffer.concat([
    Buffer.from('[{"type":"message","role":"user","content":'),
    input,
    Buffer.from('}]'),
  ]);
}

/** What is between the brackets of a list; no bytes if that is nothing. */
function entriesIn(list: Buffer): Buffer {
  const inner = list.subarray(1, -1);
  return inner.toString('latin1').trim() === '' ? Buffer.alloc(0) : inner;
}

function listOf(entries: Buffer[]): Buffer {
  const parts = entries.filter((each) => each.length > 0).flatMap((each) => [COMMA, each]);
  return Buffer.concat([Buffer.from('['), ...parts.slice(1), Buffer.from(']')]);
}

/** A request with all that was said before, for a chat server and for one that speaks Responses. Each other byte stays. */
export async function withTurns(
  raw: Buffer,
  turns: readonly StoredTurn[],
): Promise<{ chat: Buffer; native: Buffer }> {
  const [chat, native]: [Buffer[], Buffer[]] = [[], []];
  for (const { input, response } of turns) {
    const asked = entriesIn(input);
    chat.push(asked);
    native.push(asked);
    const { fields, write } = await readBody(response, () => undefined);
    for (const item of fields.output as Fields[]) {
      const text = Buffer.from(write(item));
      if (isReadableByChat(item)) chat.push(text);
      if (isReadableByMaker(item)) native.push(text);
    }
  }
  const own = entriesIn(inputOf(raw));
  const members = membersOf(raw, NATIVE_RESPONSES.fields);
  const withItems = (items: Buffer[]) =>
    withFields({ raw, members }, { input: listOf([...items, own]), previous_response_id: null });
  return { chat: withItems(chat), native: withItems(native) };
}

/** Of the ids of items, by their type. */
const PREFIXES: Record<string, string> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
};

/** An item of a list. */
export interface ListedItem {
  id: string;
  json: string;
}

/**
 * What the model was given for the last turn: all that was said before, and the input of its own request. Each item has an id of its
 * own, and messages have the form of OpenAI's list.
 */
export async function itemsOf(turns: readonly StoredTurn[]): Promise<ListedItem[]> {
  const listed: ListedItem[] = [];
  const known = new Set<unknown>();
  const add = ({ fields, write }: ReadBody, list: string, place: string) => {
    for (const [i, item] of (fields[list] as Fields[]).entries()) {
      const type = isGiven(item.type) ? item.type : isGiven(item.role) ? 'message' : 'item_reference';
      const made = `${PREFIXES[type as string] ?? 'item'}_${place}_${i}`;
      const id = typeof item.id === 'string' && !known.has(item.id) ? item.id : made;
      known.add(id);
      const message = type === 'message' && { status: 'completed', ...item, content: contentOf(item) };
      listed.push({ id, json: write({ ...item, ...message, type, id }) });
    }
  };
  for (const [i, { id, input, response }] of turns.entries()) {
    const name = id.replace(/^resp_/, '');
    const asked = Buffer.concat([Buffer.from('{"input":'), input, Buffer.from('}')]);
    add(await readBody(asked, () => undefined), 'input', `${name}_in`);
    if (i < turns.length - 1) add(await readBody(response, () => undefined), 'output', `${name}_out`);
  }
  return listed;
}

/** The parts of a message. */
function contentOf({ role, content }: Fields): unknown {
  if (typeof content !== 'string') return content;
  return role === 'assistant'
    ? [{ type: 'output_text', text: content, annotations: [], logprobs: [] }]
    : [{ type: 'input_text', text: content }];
}
