import { type Executor, readNewestFirst, type Transaction } from '@inference/database';
import { type Position } from '@inference/http';
import { type Component } from '../component';
import { ChangelogEntry } from './changelog-entry.entity';

/** The part of an entry that an admin writes. */
export interface EntryContent extends Pick<ChangelogEntry, 'title' | 'body' | 'component' | 'tagName'> {
  /** Null: now for a new entry, unchanged for an existing one. */
  publishedAt: Date | null;
}

/** An entry without its author. */
export type PublicEntry = Omit<ChangelogEntry, 'publishedBy'>;

const PUBLIC_COLUMNS = `
  id, title, body, component, tag_name AS "tagName", published_at AS "publishedAt", changed_at AS "changedAt"`;

/** Entries of one component, or of all if null, newest first. */
export function listEntries(
  executor: Executor,
  component: Component | null,
  after: Position | null,
  count: number,
): Promise<(PublicEntry & { position: Position })[]> {
  const entries = executor.repository(ChangelogEntry).createQueryBuilder('entry');
  if (component !== null) entries.where({ component });
  return readNewestFirst(entries, 'publishedAt', after, count);
}

export async function insertEntry(
  transaction: Transaction,
  id: string,
  { publishedAt, ...content }: EntryContent,
  adminId: string,
): Promise<PublicEntry> {
  const { raw } = await transaction
    .repository(ChangelogEntry)
    .createQueryBuilder()
    .insert()
    .values({
      id,
      ...content,
      publishedAt: publishedAt ?? (() => 'clock_timestamp()'),
      publishedBy: adminId,
    })
    .returning(PUBLIC_COLUMNS)
    .execute();
  return (raw as [PublicEntry])[0];
}

/** Returns undefined if there is no such entry. */
export async function replaceEntry(
  transaction: Transaction,
  id: string,
  { publishedAt, ...content }: EntryContent,
): Promise<PublicEntry | undefined> {
  const { raw } = await transaction
    .repository(ChangelogEntry)
    .createQueryBuilder()
    .update({ ...content, ...(publishedAt && { publishedAt }), changedAt: () => 'clock_timestamp()' })
    .where({ id })
    .returning(PUBLIC_COLUMNS)
    .execute();
  return (raw as PublicEntry[])[0];
}

/** Returns false if there is no such entry. */
export async function deleteEntry(transaction: Transaction, id: string): Promise<boolean> {
  return (await transaction.repository(ChangelogEntry).delete({ id })).affected === 1;
}
