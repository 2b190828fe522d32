import { StringDecoder } from 'node:string_decoder';
import { type SteppedWork } from '@inference/http';
import { type ChatConversation } from '../chat/chat-conversation';
import {
  childOf,
  choiceAt,
  type Fields,
  isGiven,
  listAt,
  nameAt,
  objectAt,
  refuse,
  refuseOthers,
  textAt,
} from '../fields';
import { type ReadBody } from '../json';

/** Marks what this gateway has written. */
const MARK = 'gw1:';

/**
 * The thoughts of a model in the field `encrypted_content`, which clients send back unread. They are not secret from the client, which
 * gets them as a text, too; so they are not encrypted.
 */
export const keepThought = (text: string): string => MARK + Buffer.from(text).toString('base64');

/** Of base64; a multiple of four. */
const DECODED_CHARS = 262_144;

/** What `keepThought` has kept; undefined for what another service has encrypted. */
function* readThought(kept: string): SteppedWork<string | undefined> {
  if (!kept.startsWith(MARK)) return undefined;
  const decoder = new StringDecoder('utf8');
  let text = '';
  for (let at = MARK.length; at < kept.length; at += DECODED_CHARS) {
    text += decoder.write(Buffer.from(kept.slice(at, at + DECODED_CHARS), 'base64'));
    yield;
  }
  return text + decoder.end();
}

const textIn = (list: unknown): boolean => Array.isArray(list) && list.length > 0;

/** Whether an item of a stored response says something to a chat server: not thoughts that it cannot read, nor what hosted tools did. */
export function isReadableByChat(item: Fields): boolean {
  const { content, summary, encrypted_content: kept } = item;
  const type = itemTypeOf(item);
  if (type !== 'reasoning') return Object.hasOwn(ITEMS, type as string);
  return textIn(content) || textIn(summary) || (typeof kept === 'string' && kept.startsWith(MARK));
}

/** The same for a server that speaks Responses. It has stored no thoughts, and can read no summary and nothing that this gateway has kept. */
export function isReadableByMaker({ type, content, encrypted_content: kept }: Fields): boolean {
  if (type !== 'reasoning') return true;
  return typeof kept === 'string' ? !kept.startsWith(MARK) : textIn(content);
}

type AsText = ReadBody['asText'];
type AddItem = (
  conversation: ChatConversation,
  item: Fields,
  path: string,
  asText: AsText,
) => SteppedWork<void> | void;

const known = (...names: string[]): ReadonlySet<string> =>
  new Set(['type', 'id', 'status', 'phase', 'internal_chat_message_metadata_passthrough', ...names]);
const MESSAGE = known('role', 'content');
/** OpenAI’s SDKs add what they have parsed to the items of an answer, and clients send these back. */
const PARSED_ARGUMENTS = 'parsed_arguments';
const PARSED_TEXT = 'parsed';
const CALL = known('call_id', 'name', 'arguments', 'caller', PARSED_ARGUMENTS);
const CUSTOM_CALL = known('call_id', 'name', 'input', 'caller');
const OUTPUT = known('call_id', 'output', 'caller');
const REASONING = known('summary', 'content', 'encrypted_content');
const CACHE_MARK = 'prompt_cache_breakpoint';
const TEXT_PART = new Set(['type', 'text', 'annotations', 'logprobs', PARSED_TEXT, CACHE_MARK]);
const REFUSAL_PART = new Set(['type', 'refusal']);
const IMAGE_PART = new Set(['type', 'detail', 'image_url', CACHE_MARK]);
const FILE_PART = new Set(['type', 'filename', 'file_data', CACHE_MARK]);

/** The type of an item that stands for one of a stored response. */
export const REFERENCE = 'item_reference';
const SHOWN_TYPE_CHARS = 64;
/** Of the ids of `reasoning` items. */
const THOUGHT_PREFIX = 'rs_';

/** By the type of the item. What hosted tools of other services have done cannot be passed on. */
const ITEMS: Record<string, AddItem> = {
  message: addMessage,
  function_call: addCall,
  custom_tool_call: addCustomCall,
  function_call_output: addOutput,
  custom_tool_call_output: addOutput,
  reasoning: addThought,
};

/**
 * Adds the input of a request, a text or items, to a conversation. Returns which items are left out: references to thoughts, which SDKs
 * send that take responses for stored.
 * @param isResolvedLater whether what is referred to is put into its place afterwards
 */
export function* addItems(
  conversation: ChatConversation,
  input: unknown,
  asText: AsText,
  isResolvedLater: boolean,
): SteppedWork<string[]> {
  if (typeof input === 'string') {
    conversation.ask([{ type: 'text', text: input }]);
    return [];
  }
  const ignored: string[] = [];
  if (!Array.isArray(input)) refuse('input', 'must be a text or a list of items');
  for (const [i, entry] of (input as unknown[]).entries()) {
    yield;
    const path = childOf('input', i);
    const item = objectAt(entry, path);
    const type = textAt(itemTypeOf(item), childOf(path, 'type'));
    if (type === REFERENCE) ignored.push(referenceAt(item, path, isResolvedLater));
    else {
      const add = Object.hasOwn(ITEMS, type) ? ITEMS[type]! : undefined;
      if (!add)
        refuse(
          childOf(path, 'type'),
          `must not be ${type.slice(0, SHOWN_TYPE_CHARS)}, which cannot be passed on to the server of this model`,
        );
      const steps = add(conversation, item, path, asText);
      if (steps) yield* steps;
    }
  }
  return ignored;
}

/** An item without a type is a message, or a reference if it is nothing but an id. */
export function itemTypeOf({ type, id, role }: Fields): unknown {
  if (isGiven(type)) return type;
  return isGiven(id) && !isGiven(role) ? REFERENCE : 'message';
}

function referenceAt(item: Fields, path: string, isResolvedLater: boolean): string {
  const id = nameAt(item.id, childOf(path, 'id'));
  if (isResolvedLater || id.startsWith(THOUGHT_PREFIX)) return `${path} (${REFERENCE})`;
  return refuse(
    childOf(path, 'type'),
    `must not be ${REFERENCE}, because responses of this account are not stored: send the items themselves, as SDKs do with \`store: false\``,
  );
}

function* addMessage(conversation: ChatConversation, item: Fields, path: string): SteppedWork<void> {
  refuseOthers(item, path, MESSAGE);
  const role = choiceAt(item.role, childOf(path, 'role'), ['user', 'assistant', 'system', 'developer']);
  const parts = yield* partsAt(item.content, childOf(path, 'content'));
  if (role === 'user') return conversation.ask(parts);
  const texts = parts.map((part, i) =>
    part.type === 'text'
      ? (part.text as string)
      : refuse(childOf(childOf(path, 'content'), i), 'must be a text'),
  );
  if (role === 'assistant') for (const text of texts) conversation.answer(text);
  // A developer is a system to most chat templates.
  else conversation.instruct(texts.join('\n\n'));
}

/** A content as parts of chat completions. */
function* partsAt(content: unknown, path: string): SteppedWork<Fields[]> {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) refuse(path, 'must be a text or a list of parts');
  const parts: Fields[] = [];
  for (const [i, part] of (content as unknown[]).entries()) {
    yield;
    const inner = childOf(path, i);
    parts.push(partOf(objectAt(part, inner), inner));
  }
  return parts;
}

function partOf(part: Fields, path: string): Fields {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      refuseOthers(part, path, TEXT_PART);
      return { type: 'text', text: textAt(part.text, childOf(path, 'text')) };
    case 'refusal':
      refuseOthers(part, path, REFUSAL_PART);
      return { type: 'text', text: textAt(part.refusal, childOf(path, 'refusal')) };
    case 'input_image': {
      refuseOthers(part, path, IMAGE_PART);
      const url = nameAt(part.image_url, childOf(path, 'image_url'));
      const detail = isGiven(part.detail) && { detail: textAt(part.detail, childOf(path, 'detail')) };
      return { type: 'image_url', image_url: { url, ...detail } };
    }
    case 'input_file': {
      refuseOthers(part, path, FILE_PART);
      const fileData = nameAt(part.file_data, childOf(path, 'file_data'));
      const filename = isGiven(part.filename) && {
        filename: textAt(part.filename, childOf(path, 'filename')),
      };
      return { type: 'file', file: { ...filename, file_data: fileData } };
    }
    default:
      return refuse(
        childOf(path, 'type'),
        'must be input_text, output_text, refusal, input_image or input_file: other parts cannot be passed on to the server of this model',
      );
  }
}

function addCall(conversation: ChatConversation, item: Fields, path: string): void {
  refuseOthers(item, path, CALL);
  conversation.call({
    id: nameAt(item.call_id, childOf(path, 'call_id')),
    name: nameAt(item.name, childOf(path, 'name')),
    arguments: textAt(item.arguments, childOf(path, 'arguments')),
  });
}

function addCustomCall(conversation: ChatConversation, item: Fields, path: string, asText: AsText): void {
  refuseOthers(item, path, CUSTOM_CALL);
  conversation.call({
    id: nameAt(item.call_id, childOf(path, 'call_id')),
    name: nameAt(item.name, childOf(path, 'name')),
    arguments: asText({ input: textAt(item.input, childOf(path, 'input')) }),
  });
}

function* addOutput(
  conversation: ChatConversation,
  item: Fields,
  path: string,
  asText: AsText,
): SteppedWork<void> {
  refuseOthers(item, path, OUTPUT);
  const id = nameAt(item.call_id, childOf(path, 'call_id'));
  const { output } = item;
  if (!isGiven(output)) refuse(childOf(path, 'output'), 'must be given');
  const isText = typeof output === 'string' || Array.isArray(output);
  const parts = isText
    ? yield* partsAt(output, childOf(path, 'output'))
    : [{ type: 'text', text: asText(output) }];
  conversation.result(id, parts);
}

function* addThought(conversation: ChatConversation, item: Fields, path: string): SteppedWork<void> {
  refuseOthers(item, path, REASONING);
  const content = yield* textsIn(item.content, childOf(path, 'content'));
  const summary = yield* textsIn(item.summary, childOf(path, 'summary'));
  const kept = isGiven(item.encrypted_content)
    ? yield* readThought(textAt(item.encrypted_content, childOf(path, 'encrypted_content')))
    : undefined;
  const thought = kept ?? (content || summary);
  if (thought !== '') conversation.think(thought);
  else if (isGiven(item.encrypted_content))
    refuse(childOf(path, 'encrypted_content'), 'was encrypted elsewhere, so it cannot be passed on');
}

function* textsIn(given: unknown, path: string): SteppedWork<string> {
  let texts = '';
  for (const [i, entry] of (isGiven(given) ? listAt(given, path) : []).entries()) {
    yield;
    const inner = childOf(path, i);
    texts += textAt(objectAt(entry, inner).text, childOf(inner, 'text'));
  }
  return texts;
}
