import { Database } from '@inference/database';
import { type Caller, restrictedKeyIdOf } from '@inference/guards';
import { holdMore, type JsonMember, Metrics, readJson, requireConnected, UniqueNames } from '@inference/http';
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
import { inputOf, itemsOf, type ListedItem, withTurns } from './stored-items';
import {
  deleteOldResponses,
  deleteResponse,
  deleteUnwantedResponses,
  findResponse,
  insertResponse,
  readConversation,
  type Reader,
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

const MOST_ID_CHARS = 200;
const isId = (id: unknown): id is string =>
  typeof id === 'string' && id.length <= MOST_ID_CHARS && /^[\w.-]+$/.test(id);
const shown = (id: string): string => id.slice(0, MOST_ID_CHARS);

class ResponseNotFoundError extends GatewayError {
  constructor(id: string) {
    super('response_not_found', `Response with id '${shown(id)}' not found.`);
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
    const read = membersIn(response);
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

/** Undefined for what is no JSON, or has one of the fields twice. */
function membersIn(response: Buffer): { id: unknown; members: readonly JsonMember[] } | undefined {
  try {
    const { value, members } = readJson(response, { names: RESPONSE });
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

  /** Throws InvalidValueError, PreviousResponseNotFoundError. */
  async open(call: CallNotes, sent: SentRequest, response: Response): Promise<SentRequest> {
    const { caller } = call;
    const { body, raw } = sent;
    const { store, previous_response_id: previous } = body.fields;
    const agrees = caller.storesResponses === true;
    const isWanted = agrees && store !== false;
    if (!isGiven(previous))
      return isWanted ? { ...sent, keeper: this.keeper(caller, sent, null, response) } : sent;
    const previousId = nameAt(previous, 'previous_response_id');
    if (!agrees) refuse('previous_response_id', NOT_AGREED);
    // What is wrong in the request is named by its place in the request.
    await body.work(readResponsesRequest(body));
    const { chat, native } = await withTurns(raw, await this.turnsBefore(readerOf(caller), previousId));
    const opened = await readBody(chat, {
      beforeSlice: () => requireConnected(response),
      reserve: (bytes) => holdMore(response.req, bytes),
    });
    opened.fields.previous_response_id = previousId;
    const keeper = isWanted
      ? this.keeper(caller, sent, previousId, response)
      : new ResponseKeeper(previousId, undefined);
    return { body: opened, raw: native, keeper };
  }

  /** The JSON of a response. Throws ResponseNotFoundError, as all that follow. */
  async find(caller: Caller, id: string): Promise<Buffer> {
    const response = isId(id) ? await findResponse(this.database, readerOf(caller), id) : null;
    if (!response) throw new ResponseNotFoundError(id);
    return response;
  }

  async delete(caller: Caller, id: string): Promise<void> {
    const isDeleted = isId(id) && (await deleteResponse(this.database, readerOf(caller), id));
    if (!isDeleted) throw new ResponseNotFoundError(id);
  }

  /** Throws SynchronousResponseError for one that there is. */
  async cancel(caller: Caller, id: string): Promise<never> {
    await this.find(caller, id);
    throw new SynchronousResponseError();
  }

  /** What the model was given for a response, without what is deleted by now. */
  async listItems(caller: Caller, id: string): Promise<ListedItem[]> {
    const reader = readerOf(caller);
    const links = isId(id) ? await readConversation(this.database, reader, id, MOST_TURNS) : [];
    let bytes = 0;
    const ids = links.filter((link) => (bytes += link.bytes) <= MOST_BYTES_BEFORE).map((link) => link.id);
    const turns = ids.length > 0 ? await this.turnsOf(reader, ids) : [];
    if (turns.at(-1)?.id !== id) throw new ResponseNotFoundError(id);
    return itemsOf(turns);
  }

  private async turnsBefore(reader: Reader, id: string): Promise<StoredTurn[]> {
    const links = isId(id) ? await readConversation(this.database, reader, id, MOST_TURNS + 1) : [];
    if (links.length > MOST_TURNS) refuse('previous_response_id', TOO_LONG);
    const missing = links.length === 0 ? id : links.at(-1)!.previousId;
    if (missing !== null) throw new PreviousResponseNotFoundError(missing);
    const bytes = links.reduce((sum, link) => sum + link.bytes, 0);
    if (bytes > MOST_BYTES_BEFORE) refuse('previous_response_id', TOO_LONG);
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
    { raw }: SentRequest,
    previousId: string | null,
    response: Response,
  ): AnswerKeeper | undefined {
    if (raw.length > MOST_STORED_BYTES) {
      response.setHeader(NOT_STORED_HEADER, this.count('too_large'));
      return previousId === null ? undefined : new ResponseKeeper(previousId, undefined);
    }
    return new ResponseKeeper(previousId, async (id, answer) =>
      this.count(await this.store(caller, raw, previousId, id, answer)),
    );
  }

  /** The call is charged by now, so it is answered whatever happens here. */
  private async store(
    { accountId, apiKey }: Caller,
    raw: Buffer,
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
      const row = { accountId, id, apiKeyId: apiKey?.id ?? null, previousId, input, response };
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
