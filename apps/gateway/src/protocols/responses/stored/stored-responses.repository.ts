import { type Executor } from '@inference/database';
import { type StoredResponse } from './stored-response.entity';

/** Who asks: an account, and its key. */
export interface Reader {
  accountId: string;
  apiKeyId: string | null;
  /** The key if it sees only what it made itself. */
  restrictedKeyId: string | null;
}

export type NewStoredResponse = Omit<StoredResponse, 'createdAt' | 'bytes'> & { itemIds: string[] };
export type StoredTurn = Pick<StoredResponse, 'id' | 'input' | 'response'>;

type Size = Pick<StoredResponse, 'id' | 'bytes'>;
/** @property itemId null: it may list some of the items */
export type Holder = Size & { itemId: string | null };
/** A response of a conversation, without its content. */
type Link = Size & Pick<StoredResponse, 'previousId'>;

/** What a reader ($1, $2) may see: nothing that is older than the account's consent, or than the 30 days. The jobs delete that. */
const VISIBLE = `
  r.account_id = $1 AND ($2::text IS NULL OR r.api_key_id = $2) AND r.created_at > now() - interval '30 days'
  AND EXISTS (
    SELECT FROM accounts.accounts a WHERE a.id = r.account_id AND a.stores_responses AND r.created_at >= a.stores_responses_set_at)`;

const FIND = `SELECT r.response FROM responses.stored r WHERE ${VISIBLE} AND r.id = $3`;
const DELETE = `DELETE FROM responses.stored r WHERE ${VISIBLE} AND r.id = $3`;
const CONVERSATION = `
  WITH RECURSIVE conversation AS (
    SELECT r.id, r.previous_id, r.bytes, 1 AS position FROM responses.stored r WHERE ${VISIBLE} AND r.id = $3
    UNION ALL
    SELECT r.id, r.previous_id, r.bytes, c.position + 1 FROM conversation c JOIN responses.stored r ON r.id = c.previous_id
    WHERE ${VISIBLE} AND c.position < $4
  )
  SELECT id, previous_id AS "previousId", bytes FROM conversation ORDER BY position`;
/**
 * The response that has brought an item of each id, and those that may list some. Keys that see one another's responses may have given
 * the same id to their items: what the reader's key has stored comes first.
 */
const HOLDERS = `
  (SELECT DISTINCT ON (i.id) i.id AS "itemId", r.id, r.bytes
   FROM responses.items i JOIN responses.stored r ON r.id = i.response_id
   WHERE i.account_id = $1 AND i.id = ANY ($3) AND ${VISIBLE}
   ORDER BY i.id, (r.api_key_id IS NOT DISTINCT FROM $5) DESC, r.created_at, r.id)
  UNION ALL
  SELECT NULL, r.id, r.bytes FROM responses.stored r WHERE r.id = ANY ($4) AND ${VISIBLE}`;
const TURNS = `SELECT r.id, r.input, r.response FROM responses.stored r WHERE ${VISIBLE} AND r.id = ANY ($3)`;
/** An account that has not agreed, or no more, has no row to insert. */
const INSERT = `
  WITH inserted AS (
    INSERT INTO responses.stored (account_id, id, api_key_id, previous_id, input, response, bytes)
    SELECT a.id, $2, $3, $4, $5, $6, $7 FROM accounts.accounts a WHERE a.id = $1 AND a.stores_responses
    ON CONFLICT DO NOTHING RETURNING account_id, id
  ), items AS (
    INSERT INTO responses.items (account_id, id, api_key_id, response_id)
    SELECT r.account_id, item.id, coalesce($3, ''), r.id FROM inserted r, unnest($8::text[]) item (id) ORDER BY item.id
    ON CONFLICT DO NOTHING
  )
  SELECT FROM inserted`;

/** Content of so many rows is deleted at once. */
const BATCH = 100;
const DELETE_OLD = `
  DELETE FROM responses.stored WHERE (account_id, id) IN (
    SELECT account_id, id FROM responses.stored WHERE created_at < now() - interval '30 days' ORDER BY created_at LIMIT ${BATCH})`;
/** A consent that has changed longer ago than responses live leaves none from before. */
const DELETE_UNWANTED = `
  DELETE FROM responses.stored WHERE (account_id, id) IN (
    SELECT r.account_id, r.id FROM accounts.accounts a JOIN responses.stored r ON r.account_id = a.id
      AND r.created_at < CASE WHEN a.stores_responses THEN a.stores_responses_set_at ELSE 'infinity' END
    WHERE a.stores_responses_set_at > now() - interval '31 days' LIMIT ${BATCH})`;

const valuesOf = ({ accountId, restrictedKeyId }: Reader): unknown[] => [accountId, restrictedKeyId];

/** The JSON of a response; null if the reader sees none of this id. */
export async function findResponse(executor: Executor, reader: Reader, id: string): Promise<Buffer | null> {
  const { rows } = await executor.query<Pick<StoredResponse, 'response'>>(FIND, [...valuesOf(reader), id]);
  return rows[0]?.response ?? null;
}

/** Returns whether the reader saw it. */
export async function deleteResponse(executor: Executor, reader: Reader, id: string): Promise<boolean> {
  const { rowCount } = await executor.query(DELETE, [...valuesOf(reader), id]);
  return rowCount === 1;
}

/** A response and those before it, newest first. Ends where one is missing. */
export async function readConversation(
  executor: Executor,
  reader: Reader,
  id: string,
  most: number,
): Promise<Link[]> {
  const { rows } = await executor.query<Link>(CONVERSATION, [...valuesOf(reader), id, most]);
  return rows;
}

/** The responses with items of these ids, some of them several times. @param candidates responses that may list them */
export async function readHolders(
  executor: Executor,
  reader: Reader,
  itemIds: string[],
  candidates: string[],
): Promise<Holder[]> {
  const values = [...valuesOf(reader), itemIds, candidates, reader.apiKeyId];
  const { rows } = await executor.query<Holder>(HOLDERS, values);
  return rows;
}

/** What was said in each of these responses, in any order. */
export async function readTurns(executor: Executor, reader: Reader, ids: string[]): Promise<StoredTurn[]> {
  const { rows } = await executor.query<StoredTurn>(TURNS, [...valuesOf(reader), ids]);
  return rows;
}

/** Returns false if the account does not want it, or has one of this id. */
export async function insertResponse(executor: Executor, stored: NewStoredResponse): Promise<boolean> {
  const { accountId, id, apiKeyId, previousId, input, response, itemIds } = stored;
  const bytes = input.length + response.length;
  const values = [accountId, id, apiKeyId, previousId, input, response, bytes, itemIds];
  const { rowCount } = await executor.query(INSERT, values);
  return rowCount === 1;
}

const SUM =
  'SELECT coalesce(sum(bytes), 0)::double precision AS bytes FROM responses.stored WHERE account_id = $1';

/** Bytes of all that is stored of an account. */
export async function sumStored(executor: Executor, accountId: string): Promise<number> {
  const { rows } = await executor.query<{ bytes: number }>(SUM, [accountId]);
  return rows[0]!.bytes;
}

/** Deletes some of what is older than 30 days. Returns whether there may be more. */
export async function deleteOldResponses(executor: Executor): Promise<boolean> {
  const { rowCount } = await executor.query(DELETE_OLD);
  return rowCount === BATCH;
}

/** Deletes some of what accounts do not want stored any more. Returns whether there may be more. */
export async function deleteUnwantedResponses(executor: Executor): Promise<boolean> {
  const { rowCount } = await executor.query(DELETE_UNWANTED);
  return rowCount === BATCH;
}
