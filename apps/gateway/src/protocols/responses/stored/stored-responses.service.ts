import { Database } from '@inference/database';
import { type Caller, restrictedKeyIdOf } from '@inference/guards';
import {
  holdMore,
  type JsonMember,
  Metrics,
  readJsonInSlices,
  requireConnected,
  UniqueNames,
} from '@inference/http';
import { BackgroundJobs, EVERY_MINUTE } from '@inference/jobs';
import { bytesOf, dataOf, type SseEvent, SseEventReader } from '@inference/sse';
import { Injectable, Logger } from '@nestjs/common';
import { type Response } from 'express';
import { Counter } from 'prom-client';
import { GatewayError } from '../../../errors/openai-error';
import { type AnswerKeeper } from '../../../proxy/streaming/proxy-stream';
import { withFields } from '../../../proxy/upstream-body';
import { type CallNotes } from '../../../unserved-calls/call-notes';
import { type Fields, isGiven, nameAt, refuse } from '../../fields';
import { readBody } from '../../json';
import { type Conversations, type SentRequest } from '../../protocol';
import { responseIn } from '../responses-native';
import { readResponsesRequest } from '../responses-request';
import {
  type FoundItem,
  idsIn,
  inputOf,
  itemsById,
  itemsOf,
  type ListedItem,
  referencesIn,
  responsesNamedIn,
  withTurns,
} from './stored-items';
import {
  deleteOldResponses,
  deleteResponse,
  deleteUnwantedResponses,
  findResponse,
  insertResponse,
  readConversation,
  type Reader,
  readHolders,
  readTurns,
  type StoredTurn,
  sumStored,
} from './stored-responses.repository';

const MEBIBYTE = 1024 * 1024;
/** Of a request and its response. Chosen: the longest conversations of coding agents have some. */
const MOST_STORED_BYTES = 8 * MEBIBYTE;
/** Of all that a conversation goes on from. */
const MOST_BYTES_BEFORE = 16 * MEBIBYTE;
const MOST_TURNS = 1_000;
/** To items, of a request with all that was said before. Chosen: some for each turn. */
const MOST_REFERENCES = 4_000;
/** Of a request and its response, by which they are found. */
const MOST_ITEM_IDS = 1_000;
/** Of an account in all. Chosen: half a million turns of a chat, while a few accounts cannot fill the disk. */
const MOST_ACCOUNT_BYTES = 4 * 1024 * MEBIBYTE;
/** How long a sum of an account is used. Gateways do not know what others store meanwhile. */
const SUM_LIFE_MILLIS = 60_000;
/** Sums that are kept. */
const MOST_SUMS = 10_000;
/** How long an answer waits for being stored. */
const STORING_MILLIS = 5_000;

/** Says in a plain answer why it is not stored, although its account and its client want that. */
export const NOT_STORED_HEADER = 'X-Not-Stored';
const OUTCOMES = ['stored', 'too_large', 'account_full', 'failed', 'unwanted'] as const;
type Outcome = (typeof OUTCOMES)[number];

const NOT_AGREED =
  'must not be given, because responses of this account are not stored: its owner can switch that on in the settings of the console. Otherwise send the whole conversation as `input`';
const TOO_LONG = `is the end of a conversation of more than ${MOST_TURNS} responses or ${MOST_BYTES_BEFORE / MEBIBYTE} MiB: send what matters of it as \`input\``;

const TOO_MANY_REFERENCES = `must not refer to more than ${MOST_REFERENCES} items: send the items themselves`;
const TOO_LONG_REFERENCES = `must not refer to items of responses with more than ${MOST_BYTES_BEFORE / MEBIBYTE} MiB: send the items themselves`;

const MOST_ID_CHARS = 200;
const isId = (id: unknown): id is string =>
  typeof id === 'string' && id.length <= MOST_ID_CHARS && /^[\w.-]+$/.test(id);
/** Servers that speak Responses name their items as they like. */
const isItemId = (id: string): boolean => id.length <= MOST_ID_CHARS && /^[!-~]+$/.test(id);
const shown = (id: string): string => id.slice(0, MOST_ID_CHARS);

class ResponseNotFoundError extends GatewayError {
  constructor(id: string) {
    super('response_not_found', `Response with id '${shown(id)}' not found.`);
  }
}

class ItemNotFoundError extends GatewayError {
  constructor(id: string) {
    super('item_not_found', `Item with id '${shown(id)}' not found.`, 'input');
  }
}

class PreviousResponseNotFoundError extends GatewayError {
  constructor(id: string) {
    const message = `Previous response with id '${shown(id)}' not found.`;
    super('previous_response_not_found', message, 'previous_response_id');
  }
}

/** A response cannot be cancelled, because its client has waited for it. */
class SynchronousResponseError extends GatewayError {
  constructor() {
    super('synchronous_response', 'Cannot cancel a synchronous response.');
  }
}

const readerOf = (caller: Caller): Reader => ({
  accountId: caller.accountId,
  apiKeyId: caller.apiKey?.id ?? null,
  restrictedKeyId: restrictedKeyIdOf(caller),
});

const RESPONSE = new UniqueNames({ id: {}, store: {}, previous_response_id: {} });
const LAST_EVENTS = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** Stores a response and says so in it. */
class ResponseKeeper implements AnswerKeeper {
  /** @param store undefined: the response only says what it goes on from */
  constructor(
    private readonly previousId: string | null,
    private readonly store: ((id: unknown, response: Buffer) => Promise<Outcome>) | undefined,
  ) {}

  async keep(body: Buffer): Promise<{ body: Buffer; headers: Record<string, string> }> {
    const { response, outcome } = await this.told(body);
    const isMissed = outcome !== undefined && outcome !== 'stored';
    return { body: response, headers: isMissed ? { [NOT_STORED_HEADER]: outcome } : {} };
  }

  async keepEvents(last: SseEvent): Promise<SseEvent> {
    const events = eventsIn(last);
    const at = events.findLastIndex(isLast);
    if (at < 0) return last;
    const event = events[at]!;
    const { response, eventWith } = responseIn(event) ?? {
      response: Buffer.alloc(0),
      eventWith: () => event,
    };
    events[at] = eventWith((await this.told(response)).response);
    return events.join('');
  }

  private async told(response: Buffer): Promise<{ response: Buffer; outcome?: Outcome | undefined }> {
    const read = await membersIn(response);
    if (!read) return { response, outcome: await this.store?.(undefined, response) };
    const { id, members } = read;
    const saying = (isStored: boolean) =>
      withFields(
        { raw: response, members },
        { store: isStored, ...(this.previousId !== null && { previous_response_id: this.previousId }) },
      );
    if (!this.store) return { response: saying(false) };
    const stored = saying(true);
    const outcome = await this.store(id, stored);
    return { response: outcome === 'stored' ? stored : saying(false), outcome };
  }
}

const withoutStore = (previousId: string | null): ResponseKeeper | undefined =>
  previousId === null ? undefined : new ResponseKeeper(previousId, undefined);

/** Undefined for what is no JSON, or has one of the fields twice. */
async function membersIn(
  response: Buffer,
): Promise<{ id: unknown; members: readonly JsonMember[] } | undefined> {
  try {
    const { value, members } = await readJsonInSlices(response, { names: RESPONSE });
    return { id: (value as Fields).id, members };
  } catch {
    return undefined;
  }
}

/** None if one of them is too long for a reader. */
function eventsIn(text: SseEvent): SseEvent[] {
  const reader = new SseEventReader();
  try {
    return [...reader.push(bytesOf(text)), ...reader.flush()];
  } catch {
    return [];
  }
}

function isLast(event: SseEvent): boolean {
  try {
    const { type } = JSON.parse(dataOf(event)) as { type?: string };
    return LAST_EVENTS.has(type ?? '');
  } catch {
    return false;
  }
}

/** The part of a request that is stored: its body, and the ids of the items in it. */
interface Asked {
  raw: Buffer;
  itemIds: string[];
}

const bytesOfAll = (stored: readonly { bytes: number }[]): number =>
  stored.reduce((sum, { bytes }) => sum + bytes, 0);

const refuseReferences = (): never => refuse('input', TOO_LONG_REFERENCES);

/** Gives items until they have too many bytes in all. */
function finderIn(items: ReadonlyMap<string, FoundItem>): (id: string) => FoundItem | undefined {
  let bytes = 0;
  return (id) => {
    const found = items.get(id);
    bytes += found?.json.length ?? 0;
    return bytes > MOST_BYTES_BEFORE ? undefined : found;
  };
}

/** Counts bytes that are about to be read, in the memory of the request or of the answer. May wait for it, or throw 429 and 503 without it. */
export type Reserve = (bytes: number) => Promise<void> | void;

/** The responses that accounts want stored. */
@Injectable()
export class StoredResponses implements Conversations {
  private readonly logger = new Logger(StoredResponses.name);
  private readonly outcomes: Counter<'outcome'>;
  /** What is stored of accounts, and until when that is believed. */
  private readonly sums = new Map<string, { bytes: number; endsAtMillis: number }>();

  constructor(
    private readonly database: Database,
    { registry }: Metrics,
    jobs: BackgroundJobs,
  ) {
    this.outcomes = new Counter({
      name: 'gateway_stored_responses_total',
      help: 'Responses that their accounts want stored, by whether they were, were too large, found no room in their account, or could not be. `unwanted`: the account has changed its mind meanwhile, or has one of the same id.',
      labelNames: ['outcome'],
      registers: [registry],
    });
    for (const outcome of OUTCOMES) this.outcomes.inc({ outcome }, 0);
    jobs.schedule('delete-stored-responses', EVERY_MINUTE, async (signal) => {
      while (!signal.aborted && (await deleteUnwantedResponses(this.database)));
      while (!signal.aborted && (await deleteOldResponses(this.database)));
    });
  }

  /** Throws InvalidValueError, PreviousResponseNotFoundError, ItemNotFoundError. */
  async open(call: CallNotes, sent: SentRequest, response: Response): Promise<SentRequest> {
    const { caller } = call;
    const { body, raw } = sent;
    const { store, input, previous_response_id: previous } = body.fields;
    const previousId = isGiven(previous) ? nameAt(previous, 'previous_response_id') : null;
    if (caller.storesResponses !== true)
      return previousId === null ? sent : refuse('previous_response_id', NOT_AGREED);
    const isWanted = store !== false;
    const { own, referredTo } = await body.work(idsIn(input));
    // A conversation that is sent whole has the new ones at its end.
    const itemIds = own.slice(-MOST_ITEM_IDS);
    if (previousId === null && referredTo.length === 0)
      return isWanted ? { ...sent, keeper: this.keeper(caller, { raw, itemIds }, null, response) } : sent;
    // What is wrong in the request is named by its place in the request.
    await body.work(readResponsesRequest(body, true));
    const reader = readerOf(caller);
    // What is read, and what is made of it.
    const reserve = (bytes: number) => holdMore(response.req, 2 * bytes);
    const turns = previousId === null ? [] : await this.turnsBefore(reader, previousId, reserve);
    const find = finderIn(await this.itemsFor(reader, turns, referredTo, reserve));
    const { chat, native, stored } = await withTurns(
      sent,
      referredTo.length > 0,
      turns,
      (id) => find(id) ?? refuseReferences(),
    );
    const opened = await readBody(chat, {
      beforeSlice: () => requireConnected(response),
      reserve: (bytes) => holdMore(response.req, bytes),
    });
    if (previousId !== null) opened.fields.previous_response_id = previousId;
    const keeper = isWanted
      ? this.keeper(caller, { raw: stored, itemIds }, previousId, response)
      : withoutStore(previousId);
    return { body: opened, raw: native, keeper };
  }

  /** The JSON of a response. Throws ResponseNotFoundError, as all that follow. */
  async find(caller: Caller, id: string, reserve: Reserve): Promise<Buffer> {
    const { bytes } = await this.requireStored(caller, id);
    await reserve(bytes);
    const response = await findResponse(this.database, readerOf(caller), id);
    if (!response) throw new ResponseNotFoundError(id);
    return response;
  }

  private async requireStored(caller: Caller, id: string): Promise<{ bytes: number }> {
    const [stored] = isId(id) ? await readConversation(this.database, readerOf(caller), id, 1) : [];
    if (!stored) throw new ResponseNotFoundError(id);
    return stored;
  }

  async delete(caller: Caller, id: string): Promise<void> {
    const isDeleted = isId(id) && (await deleteResponse(this.database, readerOf(caller), id));
    if (!isDeleted) throw new ResponseNotFoundError(id);
  }

  /** Throws SynchronousResponseError for one that there is. */
  async cancel(caller: Caller, id: string): Promise<never> {
    await this.requireStored(caller, id);
    throw new SynchronousResponseError();
  }

  /** What the model was given for a response, without what is deleted by now. */
  async listItems(caller: Caller, id: string, reserve: Reserve): Promise<ListedItem[]> {
    const reader = readerOf(caller);
    const links = isId(id) ? await readConversation(this.database, reader, id, MOST_TURNS) : [];
    let bytes = 0;
    const read = links.filter((link) => (bytes += link.bytes) <= MOST_BYTES_BEFORE);
    await reserve(bytesOfAll(read));
    const ids = read.map((link) => link.id);
    const turns = ids.length > 0 ? await this.turnsOf(reader, ids) : [];
    if (turns.at(-1)?.id !== id) throw new ResponseNotFoundError(id);
    const referredTo = new Set((await referencesIn(turns)).slice(0, MOST_REFERENCES));
    return itemsOf(turns, finderIn(await this.findItems(reader, referredTo, () => undefined, reserve)));
  }

  /** What a request and those before it refer to. */
  private async itemsFor(
    reader: Reader,
    turns: readonly StoredTurn[],
    own: string[],
    reserve: Reserve,
  ): Promise<Map<string, FoundItem>> {
    const referredTo = [...own, ...(await referencesIn(turns))];
    if (referredTo.length > MOST_REFERENCES) refuse('input', TOO_MANY_REFERENCES);
    const ids = new Set(referredTo);
    const items = await this.findItems(reader, ids, refuseReferences, reserve);
    for (const id of ids) if (!items.has(id)) throw new ItemNotFoundError(id);
    return items;
  }

  private async findItems(
    reader: Reader,
    ids: ReadonlySet<string>,
    onTooMuch: () => void,
    reserve: Reserve,
  ): Promise<Map<string, FoundItem>> {
    const usable = [...ids].filter(isItemId);
    if (usable.length === 0) return new Map();
    const holders = await readHolders(this.database, reader, usable, usable.flatMap(responsesNamedIn));
    const responses = [...new Map(holders.map((holder) => [holder.id, holder])).values()];
    let bytes = 0;
    const read = responses.filter((response) => (bytes += response.bytes) <= MOST_BYTES_BEFORE);
    if (read.length < responses.length) onTooMuch();
    await reserve(bytesOfAll(read));
    const turns = await readTurns(
      this.database,
      reader,
      read.map(({ id }) => id),
    );
    const named = holders.flatMap(({ itemId, id }): [string, string][] =>
      itemId === null ? [] : [[itemId, id]],
    );
    return itemsById(turns, ids, new Map(named));
  }

  private async turnsBefore(reader: Reader, id: string, reserve: Reserve): Promise<StoredTurn[]> {
    const links = isId(id) ? await readConversation(this.database, reader, id, MOST_TURNS + 1) : [];
    if (links.length > MOST_TURNS) refuse('previous_response_id', TOO_LONG);
    const missing = links.length === 0 ? id : links.at(-1)!.previousId;
    if (missing !== null) throw new PreviousResponseNotFoundError(missing);
    const bytes = bytesOfAll(links);
    if (bytes > MOST_BYTES_BEFORE) refuse('previous_response_id', TOO_LONG);
    await reserve(bytes);
    const ids = links.map((link) => link.id);
    const turns = await this.turnsOf(reader, ids);
    // Deleted meanwhile.
    const lost = ids.find((each) => !turns.some((turn) => turn.id === each));
    if (lost !== undefined) throw new PreviousResponseNotFoundError(lost);
    return turns;
  }

  /** In the order of the conversation. @param ids newest first */
  private async turnsOf(reader: Reader, ids: string[]): Promise<StoredTurn[]> {
    const places = new Map(ids.map((id, i) => [id, i]));
    const turns = await readTurns(this.database, reader, ids);
    return turns.sort((a, b) => places.get(b.id)! - places.get(a.id)!);
  }

  private keeper(
    caller: Caller,
    asked: Asked,
    previousId: string | null,
    response: Response,
  ): AnswerKeeper | undefined {
    if (asked.raw.length > MOST_STORED_BYTES) {
      response.setHeader(NOT_STORED_HEADER, this.count('too_large'));
      return withoutStore(previousId);
    }
    return new ResponseKeeper(previousId, async (id, answer) =>
      this.count(await this.store(caller, asked, previousId, id, answer)),
    );
  }

  /** The call is charged by now, so it is answered whatever happens here. */
  private async store(
    { accountId, apiKey }: Caller,
    { raw, itemIds: askedIds }: Asked,
    previousId: string | null,
    id: unknown,
    response: Buffer,
  ): Promise<Outcome> {
    try {
      const input = await inputOf(raw);
      if (input.length + response.length > MOST_STORED_BYTES) return 'too_large';
      if (!isId(id)) throw new Error('The server of the model gave the response no usable id.');
      const sum = await this.sumOf(accountId);
      const bytes = input.length + response.length;
      if (sum.bytes + bytes > MOST_ACCOUNT_BYTES) return 'account_full';
      const { fields, work } = await readBody(response);
      const { own: answeredIds } = await work(idsIn(fields.output));
      const itemIds = [...answeredIds, ...askedIds].filter(isItemId).slice(0, MOST_ITEM_IDS);
      const row = { accountId, id, apiKeyId: apiKey?.id ?? null, previousId, input, response, itemIds };
      const isStored = await this.database.transaction(async (transaction) => {
        await transaction.limitStatements(STORING_MILLIS);
        return insertResponse(transaction, row);
      });
      if (!isStored) return 'unwanted';
      sum.bytes += bytes;
      return 'stored';
    } catch (error) {
      this.logger.warn(`A response was not stored: ${(error as Error).message}`);
      return 'failed';
    }
  }

  private async sumOf(accountId: string): Promise<{ bytes: number }> {
    const known = this.sums.get(accountId);
    const now = performance.now();
    if (known && known.endsAtMillis > now) return known;
    if (this.sums.size >= MOST_SUMS) this.sums.clear();
    const sum = {
      bytes: await sumStored(this.database, accountId),
      endsAtMillis: now + SUM_LIFE_MILLIS,
    };
    this.sums.set(accountId, sum);
    return sum;
  }

  private count(outcome: Outcome): Outcome {
    this.outcomes.inc({ outcome });
    return outcome;
  }
}
