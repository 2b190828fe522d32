import { type Sql } from '@inference/database';
import { type Position } from '@inference/http';
import { type Component } from '../components/component';

export interface StoredEntry {
  id: string;
  title: string;
  body: string;
  component: Component | null;
  tagName: string | null;
  publishedAt: Date;
  changedAt: Date;
}

const COLUMNS = `id, title, body, component, tag_name AS "tagName", published_at AS "publishedAt",
  changed_at AS "changedAt"`;
const LIST = `
  SELECT ${COLUMNS}, to_char(published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
  FROM catalogue.changelog_entries
  WHERE ($1::text IS NULL OR component = $1) AND ($2::timestamptz IS NULL OR (published_at, id) < ($2, $3))
  ORDER BY published_at DESC, id DESC LIMIT $4`;
const INSERT = `
  INSERT INTO catalogue.changelog_entries (id, title, body, component, tag_name, published_at, published_by)
  VALUES ($1, $2, $3, $4, $5, COALESCE($6, clock_timestamp()), $7)
  RETURNING ${COLUMNS}`;
const REPLACE = `
  UPDATE catalogue.changelog_entries
  SET title = $2, body = $3, component = $4, tag_name = $5, published_at = COALESCE($6, published_at),
    changed_at = clock_timestamp()
  WHERE id = $1
  RETURNING ${COLUMNS}`;

/** The part of an entry that an admin writes. */
export interface EntryContent {
  title: string;
  body: string;
  component: Component | null;
  tagName: string | null;
  /** Null: now for a new entry, unchanged for an existing one. */
  publishedAt: Date | null;
}

/** Entries of one component, or of all if null, newest first. */
export async function listEntries(
  sql: Sql,
  component: Component | null,
  after: Position | null,
  count: number,
): Promise<(StoredEntry & { position: Position })[]> {
  const { rows } = await sql.query<StoredEntry & { at: string }>(LIST, [
    component,
    after?.at ?? null,
    after?.id ?? null,
    count,
  ]);
  return rows.map(({ at, ...entry }) => ({ ...entry, position: { at, id: entry.id } }));
}

const contentOf = ({ title, body, component, tagName, publishedAt }: EntryContent) => [
  title,
  body,
  component,
  tagName,
  publishedAt,
];

export async function insertEntry(
  sql: Sql,
  id: string,
  content: EntryContent,
  adminId: string,
): Promise<StoredEntry> {
  const { rows } = await sql.query<StoredEntry>(INSERT, [id, ...contentOf(content), adminId]);
  return rows[0]!;
}

/** Returns null if there is no such entry. */
export async function replaceEntry(sql: Sql, id: string, content: EntryContent): Promise<StoredEntry | null> {
  const { rows } = await sql.query<StoredEntry>(REPLACE, [id, ...contentOf(content)]);
  return rows[0] ?? null;
}

/** Returns false if there is no such entry. */
export async function deleteEntry(sql: Sql, id: string): Promise<boolean> {
  return (await sql.query('DELETE FROM catalogue.changelog_entries WHERE id = $1', [id])).rowCount === 1;
}
