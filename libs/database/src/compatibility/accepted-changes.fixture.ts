/**
 * Changes of migrations since the previous version that a service of that version may trip over, and why they are there all the
 * same. Each is announced in `CHANGELOG.md`.
 */
export const ACCEPTED_CHANGES: Record<string, string> = {
  '0037_batched_indexing: ALTER TABLE memo.postings ALTER data DROP NOT NULL':
    'Rows without data belong to segments that a newer memo service has written. An older one finds no words in them, and its merges of them fail without a change.',
};
