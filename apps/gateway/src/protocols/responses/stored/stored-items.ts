import { setImmediate } from 'node:timers/promises';
import { type JsonMember, type SteppedWork } from '@inference/http';
import { withFields } from '../../../proxy/upstream-body';
import { type Fields, isGiven } from '../../fields';
import { membersOf, type ReadBody, readBody } from '../../json';
import { type SentRequest } from '../../protocol';
import { isReadableByChat, isReadableByMaker, itemTypeOf, REFERENCE } from '../responses-input';
import { NATIVE_RESPONSES } from '../responses-native';
import { type StoredTurn } from './stored-responses.repository';

/** The items of requests and responses that are stored, as bytes where they are passed on and as objects where they are listed. */

const [QUOTE, SPACE, BACKSLASH, COMMA_BYTE] = [0x22, 0x20, 0x5c, 0x2c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
/** Other requests have their turn after so many bytes of what was said before. */
const BYTES_OF_A_TURN = 131_072;
const STEP_BYTES = 32_768;
const COMMA = Buffer.from(',');

/** The items of a request as a list, which was read before: its input is a text or a list. */
export async function inputOf(raw: Buffer): Promise<Buffer> {
  return inputAt(raw, await membersOf(raw, NATIVE_RESPONSES.fields));
}

function inputAt(raw: Buffer, members: readonly JsonMember[]): Buffer {
  const { start, end } = members.find(({ name }) => name === 'input')!;
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
  let at = 0;
  // 32 MiB of spaces take 30 ms here, and with a call for each byte ten times as long.
  while (at < inner.length && inner[at]! <= SPACE) at++;
  return at < inner.length ? inner : Buffer.alloc(0);
}

function listOf(entries: Buffer[]): Buffer {
  const parts = entries.filter((each) => each.length > 0).flatMap((each) => [COMMA, each]);
  return Buffer.concat([Buffer.from('['), ...parts.slice(1), Buffer.from(']')]);
}

/** The entries of a list, each with the spaces around it. */
function* splitList(list: Buffer): SteppedWork<Buffer[]> {
  const entries: Buffer[] = [];
  let [at, start, depth, isText] = [0, 1, 0, false];
  while (at < list.length) {
    const end = Math.min(list.length, at + STEP_BYTES);
    for (; at < end; at++) {
      const byte = list[at]!;
      if (byte === QUOTE) isText = !isText;
      else if (isText) at += byte === BACKSLASH ? 1 : 0;
      else if (OPENING.has(byte)) depth++;
      else if (CLOSING.has(byte)) depth--;
      else if (byte === COMMA_BYTE && depth === 1) {
        entries.push(list.subarray(start, at));
        start = at + 1;
      }
    }
    yield;
  }
  return [...entries, list.subarray(start, list.lastIndexOf(']'))];
}

/** An item of a stored response. */
export interface FoundItem {
  item: Fields;
  json: Buffer;
  write: ReadBody['write'];
}

const idIn = (item: unknown): string | undefined => {
  const { id } = (item ?? {}) as Fields;
  return typeof id === 'string' && id !== '' ? id : undefined;
};

/** The ids in a list of items: those of the items themselves, and of those that it refers to. */
export function* idsIn(list: unknown): SteppedWork<{ own: string[]; referredTo: string[] }> {
  const ids = { own: [] as string[], referredTo: [] as string[] };
  for (const item of Array.isArray(list) ? (list as unknown[]) : []) {
    yield;
    const id = idIn(item);
    if (id === undefined) continue;
    (itemTypeOf(item as Fields) === REFERENCE ? ids.referredTo : ids.own).push(id);
  }
  return ids;
}

const readInput = (input: Buffer): Promise<ReadBody> =>
  readBody(Buffer.concat([Buffer.from('{"input":'), input, Buffer.from('}')]));

/** The ids of what stored inputs refer to. Most refer to nothing: these are not read. */
export async function referencesIn(turns: readonly StoredTurn[]): Promise<string[]> {
  const ids: string[][] = [];
  for (const { input } of turns) {
    if (!input.includes(REFERENCE)) continue;
    const { fields, work } = await readInput(input);
    ids.push((await work(idsIn(fields.input))).referredTo);
    await setImmediate();
  }
  return ids.flat();
}

/** Items for a chat server, for one that speaks Responses, and as they are stored: a reference stays one. */
class ItemLists {
  readonly chat: Buffer[] = [];
  readonly native: Buffer[] = [];
  readonly stored: Buffer[] = [];

  addAsItIs(entry: Buffer): void {
    for (const list of [this.chat, this.native, this.stored]) list.push(entry);
  }

  add(item: Fields, json: Buffer): void {
    if (isReadableByChat(item)) this.chat.push(json);
    if (isReadableByMaker(item)) this.native.push(json);
  }

  /** @param items what is in the list */
  *addResolved(list: Buffer, items: unknown, find: (id: string) => FoundItem): SteppedWork<void> {
    const entries = yield* splitList(list);
    for (const [i, entry] of entries.entries()) {
      yield;
      const item = (items as Fields[])[i]!;
      if (itemTypeOf(item) !== REFERENCE) {
        this.addAsItIs(entry);
        continue;
      }
      const id = item.id as string;
      this.stored.push(Buffer.from(JSON.stringify({ type: REFERENCE, id })));
      const found = find(id);
      this.add(found.item, found.json);
    }
  }
}

/**
 * A request with all that was said before and what it refers to, for a chat server, for one that speaks Responses, and, with its
 * references, as it is stored. Each other byte stays.
 * @param find throws for what may not be sent
 */
export async function withTurns(
  { raw, body }: SentRequest,
  hasReferences: boolean,
  turns: readonly StoredTurn[],
  find: (id: string) => FoundItem,
): Promise<{ chat: Buffer; native: Buffer; stored: Buffer }> {
  const before = new ItemLists();
  let bytes = 0;
  for (const { input, response } of turns) {
    bytes += input.length + response.length;
    if (bytes > BYTES_OF_A_TURN) {
      await setImmediate();
      bytes = 0;
    }
    if (input.includes(REFERENCE)) {
      const { fields, work } = await readInput(input);
      await work(before.addResolved(input, fields.input, find));
    } else before.addAsItIs(entriesIn(input));
    const { fields, write } = await readBody(response);
    for (const item of outputOf(fields)) before.add(item, Buffer.from(write(item)));
  }
  const members = await membersOf(raw, NATIVE_RESPONSES.fields);
  const list = inputAt(raw, members);
  const { input, previous_response_id: previous } = body.fields;
  const own = new ItemLists();
  if (hasReferences) await body.work(own.addResolved(list, input, find));
  else own.addAsItIs(entriesIn(list));
  const withItems = (items: Buffer[]) =>
    withFields(
      { raw, members },
      { input: listOf(items), ...(isGiven(previous) && { previous_response_id: null }) },
    );
  return {
    chat: withItems([...before.chat, ...own.chat]),
    native: withItems([...before.native, ...own.native]),
    stored: hasReferences ? withFields({ raw, members }, { input: listOf(own.stored) }) : raw,
  };
}

/** A server that speaks Responses may end a stream with a response that has none. */
const outputOf = ({ output }: Fields): Fields[] =>
  Array.isArray(output)
    ? output.filter((item): item is Fields => item !== null && typeof item === 'object')
    : [];

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

/** An item of a turn, and the id that it is listed by if it has none. */
interface PlacedItem extends Pick<FoundItem, 'item' | 'write'> {
  placeId: string;
}

const RESPONSE_PREFIX = 'resp_';
const PLACE_ID = /^[a-z]+_(.+)_(?:in|out)_\d+$/;

function placed({ write }: ReadBody, items: Fields[], { id }: StoredTurn, list: 'in' | 'out'): PlacedItem[] {
  const name = id.startsWith(RESPONSE_PREFIX) ? id.slice(RESPONSE_PREFIX.length) : id;
  return items.map((item, i) => {
    const prefix = PREFIXES[itemTypeOf(item) as string] ?? 'item';
    return { item, write, placeId: `${prefix}_${name}_${list}_${i}` };
  });
}

async function asked(turn: StoredTurn): Promise<PlacedItem[]> {
  const read = await readInput(turn.input);
  return placed(read, read.fields.input as Fields[], turn, 'in');
}

async function answered(turn: StoredTurn): Promise<PlacedItem[]> {
  const read = await readBody(turn.response);
  return placed(read, outputOf(read.fields), turn, 'out');
}

/** The responses in which an item may be listed by this id. */
export function responsesNamedIn(itemId: string): string[] {
  const name = PLACE_ID.exec(itemId)?.[1];
  return name === undefined ? [] : [name, RESPONSE_PREFIX + name];
}

/**
 * The items that have these ids or are listed by them. An item that is listed by an id made for its place is preferred to one to which
 * a client has given that id, and what an answer has to what its request has repeated.
 * @param holders the response of which the item with an id is taken
 */
export async function itemsById(
  turns: readonly StoredTurn[],
  ids: ReadonlySet<string>,
  holders: ReadonlyMap<string, string>,
): Promise<Map<string, FoundItem>> {
  const placed = new Map<string, FoundItem>();
  const named = new Map<string, FoundItem>();
  const add = (turn: StoredTurn, { item, write, placeId }: PlacedItem) => {
    if (itemTypeOf(item) === REFERENCE) return;
    const found = () => ({ item, write, json: Buffer.from(write(item)) });
    if (ids.has(placeId)) placed.set(placeId, found());
    const id = idIn(item);
    if (id !== undefined && holders.get(id) === turn.id && !named.has(id)) named.set(id, found());
  };
  for (const read of [answered, asked])
    for (const turn of turns) {
      for (const item of await read(turn)) add(turn, item);
      await setImmediate();
    }
  return new Map([...named, ...placed]);
}

/**
 * What the model was given for the last turn: all that was said before, and the input of its own request. Each item has an id of its
 * own, and messages have the form of OpenAI's list. A reference to what is not found stays one.
 */
export async function itemsOf(
  turns: readonly StoredTurn[],
  find: (id: string) => FoundItem | undefined,
): Promise<ListedItem[]> {
  const listed: ListedItem[] = [];
  const known = new Set<unknown>();
  const add = ({ placeId, ...given }: PlacedItem) => {
    const isReference = itemTypeOf(given.item) === REFERENCE;
    const { item, write } = (isReference && find(idIn(given.item) ?? '')) || given;
    const type = itemTypeOf(item);
    const id = typeof item.id === 'string' && !known.has(item.id) ? item.id : placeId;
    known.add(id);
    const message = type === 'message' && { status: 'completed', ...item, content: contentOf(item) };
    listed.push({ id, json: write({ ...item, ...message, type, id }) });
  };
  for (const [i, turn] of turns.entries()) {
    (await asked(turn)).forEach(add);
    if (i < turns.length - 1) (await answered(turn)).forEach(add);
    await setImmediate();
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
