import { type Database, type Executor, isUniqueViolation, type Transaction } from '@inference/database';
import { type QueryResult } from 'pg';
import { type StoredStreamEvent } from '../tables/turn.entity';
import { type StreamEvent } from './stream-event';

// Channels of PostgreSQL notifications. The payload is the id of a turn.

/** Stream events were added by another process than the one that runs the turn. */
export const TURN_CHANGED = 'agent_turn_changed';
/** The turn was ended by another process than the one that runs it. */
export const TURN_ENDED = 'agent_turn_ended';
/** The turn was deleted with its session. */
export const TURN_DELETED = 'agent_turn_deleted';

type TurnNotification = typeof TURN_CHANGED | typeof TURN_ENDED | typeof TURN_DELETED;

/** Notifies all replicas; takes effect when the transaction commits. */
export async function notifyReplicas(
  transaction: Transaction,
  channel: TurnNotification,
  turnId: string,
): Promise<void> {
  await transaction.query('SELECT pg_notify($1, $2)', [channel, turnId]);
}

/** Most events of one turn that one query reads. */
const PAGE_EVENTS = 100;
/** Most turns whose expired events one statement deletes. Bounds how long it takes. */
const EXPIRED_TURNS = 100;

const READ = {
  name: 'stream-events-read',
  text: `SELECT n, kind, data FROM agent.stream_events WHERE turn_id = $1 AND n > $2 ORDER BY n LIMIT ${PAGE_EVENTS}`,
};
const READ_MANY = {
  name: 'stream-events-read-many',
  text: `
    SELECT c.turn_id AS "turnId", e.n, e.kind, e.data
    FROM unnest($1::text[], $2::integer[]) AS c(turn_id, cursor)
    CROSS JOIN LATERAL (
      SELECT n, kind, data FROM agent.stream_events
      WHERE turn_id = c.turn_id AND n > c.cursor ORDER BY n LIMIT ${PAGE_EVENTS}
    ) e ORDER BY c.turn_id, e.n`,
};
const FIND_DELETED_TURNS = `
  SELECT id FROM unnest($1::text[]) AS u(id) WHERE NOT EXISTS (SELECT FROM agent.turns t WHERE t.id = u.id)`;
const READ_TEXT = `
  SELECT coalesce(string_agg(data, '' ORDER BY n), '') AS text FROM agent.stream_events
  WHERE turn_id = $1 AND n > $2 AND kind = 'delta'`;
/**
 * Inserts only for turns that this replica still runs. With a join PostgreSQL would read all turns for as long as its statistics
 * say that there are few.
 */
const INSERT_DELTAS = {
  name: 'stream-events-append-deltas',
  text: `
    INSERT INTO agent.stream_events (turn_id, n, kind, data)
    SELECT u.turn_id, u.n, 'delta', u.data FROM unnest($1::text[], $2::integer[], $3::text[]) AS u(turn_id, n, data)
    WHERE (SELECT t.runner FROM agent.turns t WHERE t.id = u.turn_id) = $4`,
};
const INSERT_DELTAS_UNLESS_TAKEN = `${INSERT_DELTAS.text} ON CONFLICT DO NOTHING`;
const FIND_INSERTED_DELTAS = `
  SELECT e.turn_id AS "turnId"
  FROM unnest($1::text[], $2::integer[], $3::text[]) AS u(turn_id, n, data)
  JOIN agent.stream_events e ON e.turn_id = u.turn_id AND e.n = u.n AND e.kind = 'delta' AND e.data = u.data
  JOIN agent.turns t ON t.id = u.turn_id AND t.runner = $4`;
/** Inserts the event with the next number. If a concurrent transaction takes that number, waits for it and inserts nothing. */
const INSERT = `
  INSERT INTO agent.stream_events (turn_id, n, kind, data)
  SELECT $1, coalesce(max(n), 0) + 1, $2, $3 FROM agent.stream_events WHERE turn_id = $1
  ON CONFLICT DO NOTHING RETURNING n`;
const DELETE_OF_SESSION = `
  DELETE FROM agent.stream_events WHERE turn_id IN (SELECT id FROM agent.turns WHERE session_id = $1)`;
const DELETE_OF_DELETED_TURN = `
  DELETE FROM agent.stream_events WHERE turn_id = $1 AND NOT EXISTS (SELECT FROM agent.turns WHERE id = $1)`;
/** Ids are ordered by time: the index leads directly to the turns that began before the limit. */
const DELETE_EXPIRED = `
  DELETE FROM agent.stream_events WHERE turn_id IN (
    SELECT DISTINCT f.turn_id FROM agent.stream_events f LEFT JOIN agent.turns t ON t.id = f.turn_id
    WHERE f.turn_id < $1 AND (t.id IS NULL OR t.ended_at < $2)
    LIMIT ${EXPIRED_TURNS}
  )`;

/** A part of a turn's text that is to become its stream event `n`. */
export interface Delta {
  turnId: string;
  n: number;
  text: string;
}

/** Returns the next events of a turn, one page at most. */
export async function readStreamEvents(
  executor: Executor,
  turnId: string,
  after: number,
): Promise<StreamEvent[]> {
  return (await executor.query<StreamEvent>({ ...READ, values: [turnId, after] })).rows;
}

/** Returns the next events of many turns by turn id, each from its own cursor and one page at most. */
export async function readStreamEventsOfTurns(
  executor: Executor,
  cursors: [turnId: string, cursor: number][],
): Promise<Map<string, StreamEvent[]>> {
  const values = [cursors.map(([turnId]) => turnId), cursors.map(([, cursor]) => cursor)];
  const { rows } = await executor.query<StoredStreamEvent>({ ...READ_MANY, values });
  const events = new Map<string, StreamEvent[]>();
  for (const { turnId, ...event } of rows) {
    const list = events.get(turnId);
    if (list) list.push(event);
    else events.set(turnId, [event]);
  }
  return events;
}

/** Returns those of the turns that do not exist any more. */
export async function findDeletedTurns(executor: Executor, turnIds: string[]): Promise<string[]> {
  const { rows } = await executor.query<{ id: string }>(FIND_DELETED_TURNS, [turnIds]);
  return rows.map(({ id }) => id);
}

/** Returns the text of a turn's deltas after a position. */
export async function readDeltaText(
  transaction: Transaction,
  turnId: string,
  after: number,
): Promise<string> {
  const { rows } = await transaction.query<{ text: string }>(READ_TEXT, [turnId, after]);
  return rows[0]!.text;
}

/**
 * Writes deltas and returns those that are stored. Those of a turn that this replica does not run any more, and those whose number
 * another event has, are not. A delta that an earlier attempt has written counts as stored.
 */
export async function appendDeltas(
  database: Database,
  deltas: Delta[],
  replicaId: string,
): Promise<Set<Delta>> {
  const values = [
    deltas.map(({ turnId }) => turnId),
    deltas.map(({ n }) => n),
    deltas.map(({ text }) => text),
    replicaId,
  ];
  // Counted, because returned rows would cost as much processor time as the written ones.
  const { rowCount } = await insertDeltas(database, values);
  if (rowCount === deltas.length) return new Set(deltas);
  const { rows } = await database.query<{ turnId: string }>(FIND_INSERTED_DELTAS, values);
  const turnIds = new Set(rows.map(({ turnId }) => turnId));
  return new Set(deltas.filter(({ turnId }) => turnIds.has(turnId)));
}

/**
 * Inserts the deltas whose numbers are free. A number is taken only after an unconfirmed write, or while another transaction ends the
 * turn. So `ON CONFLICT`, which takes a third more of PostgreSQL's processor time, is left to a second attempt. PostgreSQL logs
 * the first one as an error.
 */
async function insertDeltas(database: Database, values: unknown[]): Promise<QueryResult> {
  try {
    return await database.query({ ...INSERT_DELTAS, values });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return database.query(INSERT_DELTAS_UNLESS_TAKEN, values);
  }
}

/** Appends an event to the stream of a turn whose session the transaction has locked. */
export async function appendStreamEvent(
  transaction: Transaction,
  turnId: string,
  kind: StreamEvent['kind'],
  data: object,
): Promise<StreamEvent> {
  const json = JSON.stringify(data);
  for (;;) {
    const { rows } = await transaction.query<StreamEvent>(INSERT, [turnId, kind, json]);
    if (rows[0]) return { n: rows[0].n, kind, data: json };
  }
}

/** Deletes the stream events of all turns of a session. */
export async function deleteStreamEventsOfSession(
  transaction: Transaction,
  sessionId: string,
): Promise<void> {
  await transaction.query(DELETE_OF_SESSION, [sessionId]);
}

/** Deletes events that were written while their turn was being deleted. */
export async function deleteStreamEventsOfDeletedTurn(executor: Executor, turnId: string): Promise<void> {
  await executor.query(DELETE_OF_DELETED_TURN, [turnId]);
}

/**
 * Deletes events of some of the turns that ended before an instant, or were deleted. Returns how many events; 0 if none is left.
 * @param firstId id of the first turn that can have begun at that instant
 */
export async function deleteExpiredStreamEvents(
  executor: Executor,
  firstId: string,
  before: Date,
): Promise<number> {
  return (await executor.query(DELETE_EXPIRED, [firstId, before])).rowCount!;
}
