import { type Executor, type Position, readNewestFirst, type Transaction } from '@inference/database';
import { PlaygroundSettings, SavedConversation } from './saved-conversation.entity';

type Owned = Pick<SavedConversation, 'id' | 'accountId'>;

export type ConversationContent = Pick<SavedConversation, 'content' | 'contentBytes'>;

/** A conversation without its content. */
export type ListedConversation = Omit<SavedConversation, 'content' | 'contentBytes'>;

const LISTED = { id: true, accountId: true, title: true, revision: true, createdAt: true, updatedAt: true };
const LISTED_COLUMNS = Object.keys(LISTED).map((name) => `conversation.${name}`);
const READ_STORED = `
  SELECT count(*)::integer AS count, coalesce(sum(content_bytes), 0)::float8 AS bytes
  FROM playground.conversations WHERE account_id = $1`;

/** The one that was changed last is first. `search`: a part of the title in any case; '' finds all. */
export function listConversations(
  executor: Executor,
  { accountId, search }: { accountId: string; search: string },
  after: Position | null,
  count: number,
): Promise<(ListedConversation & { position: Position })[]> {
  const conversations = executor
    .repository(SavedConversation)
    .createQueryBuilder('conversation')
    .select(LISTED_COLUMNS)
    .where({ accountId });
  if (search !== '')
    conversations.andWhere('strpos(lower(conversation.title), lower(:search)) > 0', { search });
  return readNewestFirst(conversations, 'updatedAt', after, count);
}

export function findConversation(
  executor: Executor,
  { id, accountId }: Owned,
): Promise<SavedConversation | null> {
  return executor.repository(SavedConversation).findOneBy({ id, accountId });
}

export function describeConversation(
  executor: Executor,
  { id, accountId }: Owned,
): Promise<ListedConversation | null> {
  return executor.repository(SavedConversation).findOne({ select: LISTED, where: { id, accountId } });
}

/** A conversation without its content, which does not change before the transaction ends; null if the account has no such one. */
export function lockConversation(
  transaction: Transaction,
  { id, accountId }: Owned,
): Promise<Pick<SavedConversation, 'revision' | 'contentBytes'> | null> {
  return transaction.repository(SavedConversation).findOne({
    select: { id: true, revision: true, contentBytes: true },
    where: { id, accountId },
    lock: { mode: 'pessimistic_write' },
  });
}

/** How many conversations the account has, and the bytes of their contents. */
export async function readStored(
  transaction: Transaction,
  accountId: string,
): Promise<{ count: number; bytes: number }> {
  const { rows } = await transaction.query<{ count: number; bytes: number }>(READ_STORED, [accountId]);
  return rows[0]!;
}

export async function insertConversation(
  transaction: Transaction,
  conversation: Owned & ConversationContent & Pick<SavedConversation, 'title'>,
): Promise<void> {
  await transaction.repository(SavedConversation).insert(conversation);
}

export async function replaceContent(
  transaction: Transaction,
  { id, accountId }: Owned,
  content: ConversationContent,
): Promise<void> {
  await transaction
    .repository(SavedConversation)
    .update(
      { id, accountId },
      { ...content, revision: () => 'revision + 1', updatedAt: () => 'clock_timestamp()' },
    );
}

/** Returns false if the account has no such conversation. */
export async function renameConversation(
  executor: Executor,
  { id, accountId }: Owned,
  title: string,
): Promise<boolean> {
  return (await executor.repository(SavedConversation).update({ id, accountId }, { title })).affected === 1;
}

/** Returns false if the account has no such conversation. */
export async function deleteConversation(executor: Executor, { id, accountId }: Owned): Promise<boolean> {
  return (await executor.repository(SavedConversation).delete({ id, accountId })).affected === 1;
}

export async function deleteConversations(executor: Executor, accountId: string): Promise<void> {
  await executor.repository(SavedConversation).delete({ accountId });
}

export function findSettings(executor: Executor, accountId: string): Promise<PlaygroundSettings | null> {
  return executor.repository(PlaygroundSettings).findOneBy({ accountId });
}

export async function putSettings(executor: Executor, settings: PlaygroundSettings): Promise<void> {
  await executor.repository(PlaygroundSettings).upsert(settings, ['accountId']);
}
