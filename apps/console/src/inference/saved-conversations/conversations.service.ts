import { createHash } from 'node:crypto';
import { Database, newId, type Transaction } from '@inference/database';
import { DetailedException, readPage } from '@inference/http';
import { BadRequestException, Injectable, NotFoundException } from '@nestjs/common';
import { lockAccount } from '../../accounts/credentials.repository';
import {
  type ConversationsQuery,
  type CreateConversationDto,
  type PlaygroundSettingsDto,
  type PlaygroundSettingsResponse,
  type ReplaceConversationDto,
  type SavedConversationContentResponse,
  type SavedConversationListResponse,
  type SavedConversationResponse,
} from './conversations.dto';
import {
  type ConversationContent,
  deleteConversation,
  deleteConversations,
  describeConversation,
  findConversation,
  findSettings,
  insertConversation,
  listConversations,
  type ListedConversation,
  lockConversation,
  putSettings,
  readStored,
  renameConversation,
  replaceContent,
} from './conversations.repository';

/** Chosen: a few photos or a long day of texts; a body of this size takes the service about 50 ms. */
export const MAX_CONTENT_BYTES = 4 * 1024 * 1024;
/** Chosen: what one account may keep. Twice as much fills a small database with fewer accounts than pay for it. */
export const MAX_CONVERSATIONS = 500;
export const MAX_STORED_BYTES = 128 * 1024 * 1024;

const FIRST_REVISION = 1;
/** Of `newId`. */
const ID_DIGITS = 22;

const notFound = () => new NotFoundException('no such conversation');
const full = (most: string) =>
  new DetailedException(409, `the conversations of an account are limited to ${most}; delete some first`, {
    code: 'conversations_full',
  });

/** Saves the conversations of the playground. */
@Injectable()
export class SavedConversationsService {
  constructor(private readonly database: Database) {}

  async list(
    accountId: string,
    { search = '', ...query }: ConversationsQuery,
  ): Promise<SavedConversationListResponse> {
    const list = JSON.stringify(['playground', accountId, search]);
    const { rows, nextCursor } = await readPage(list, query, (after, count) =>
      listConversations(this.database, { accountId, search }, after, count),
    );
    return { conversations: rows.map(responseOf), next_cursor: nextCursor };
  }

  async find(accountId: string, id: string): Promise<SavedConversationContentResponse> {
    const conversation = await findConversation(this.database, { id, accountId });
    if (!conversation) throw notFound();
    const content = JSON.parse(conversation.content) as Record<string, unknown>;
    return { ...responseOf(conversation), content };
  }

  /** A repeated request with a key gets its first answer, and changes nothing. */
  async create(
    accountId: string,
    { title, content, key }: CreateConversationDto,
  ): Promise<SavedConversationResponse> {
    const stored = contentOf(content);
    const id = key === undefined ? newId('chat') : idOf(accountId, key);
    await this.database.transaction(async (transaction) => {
      await lockAccount(transaction, accountId);
      if (await describeConversation(transaction, { id, accountId })) return;
      await this.requireRoom(transaction, accountId, 1, stored.contentBytes);
      await insertConversation(transaction, { id, accountId, title, ...stored });
    });
    return { ...(await this.describe(accountId, id)), revision: FIRST_REVISION };
  }

  /** Throws 409 if the content was made from another revision than the stored one. */
  async replace(
    accountId: string,
    id: string,
    { content, revision }: ReplaceConversationDto,
  ): Promise<SavedConversationResponse> {
    const stored = contentOf(content);
    await this.database.transaction(async (transaction) => {
      await lockAccount(transaction, accountId);
      const current = await lockConversation(transaction, { id, accountId });
      if (!current) throw notFound();
      if (current.revision !== revision)
        throw new DetailedException(
          409,
          `the conversation has changed: its revision is ${current.revision}`,
          {
            code: 'conversation_changed',
          },
        );
      const addedBytes = stored.contentBytes - current.contentBytes;
      if (addedBytes > 0) await this.requireRoom(transaction, accountId, 0, addedBytes);
      await replaceContent(transaction, { id, accountId }, stored);
    });
    return this.describe(accountId, id);
  }

  async rename(accountId: string, id: string, title: string): Promise<SavedConversationResponse> {
    if (!(await renameConversation(this.database, { id, accountId }, title))) throw notFound();
    return this.describe(accountId, id);
  }

  async remove(accountId: string, id: string): Promise<void> {
    if (!(await deleteConversation(this.database, { id, accountId }))) throw notFound();
  }

  async removeAll(accountId: string): Promise<void> {
    await deleteConversations(this.database, accountId);
  }

  async settings(accountId: string): Promise<PlaygroundSettingsResponse> {
    const settings = await findSettings(this.database, accountId);
    return { save_conversations: settings?.savesConversations ?? true };
  }

  async changeSettings(
    accountId: string,
    { save_conversations: savesConversations }: PlaygroundSettingsDto,
  ): Promise<PlaygroundSettingsResponse> {
    await putSettings(this.database, { accountId, savesConversations });
    return { save_conversations: savesConversations };
  }

  private async describe(accountId: string, id: string): Promise<SavedConversationResponse> {
    const conversation = await describeConversation(this.database, { id, accountId });
    if (!conversation) throw notFound();
    return responseOf(conversation);
  }

  /** Locks the account, so that what is stored at the same time is counted. Throws 409 at a limit. */
  private async requireRoom(
    transaction: Transaction,
    accountId: string,
    addedCount: number,
    addedBytes: number,
  ): Promise<void> {
    await lockAccount(transaction, accountId);
    const { count, bytes } = await readStored(transaction, accountId);
    if (count + addedCount > MAX_CONVERSATIONS) throw full(`${MAX_CONVERSATIONS}`);
    if (bytes + addedBytes > MAX_STORED_BYTES) throw full(`${MAX_STORED_BYTES} bytes`);
  }
}

/** The same for the same key, in the form of `newId`. */
const idOf = (accountId: string, key: string): string =>
  `chat_${createHash('sha256')
    .update(JSON.stringify([accountId, key]))
    .digest('hex')
    .slice(0, ID_DIGITS)}`;

function contentOf(content: Record<string, unknown>): ConversationContent {
  const text = JSON.stringify(content);
  const contentBytes = Buffer.byteLength(text);
  if (contentBytes > MAX_CONTENT_BYTES)
    throw new BadRequestException(`content: must have at most ${MAX_CONTENT_BYTES} bytes of JSON`);
  return { content: text, contentBytes };
}

const responseOf = ({
  id,
  title,
  revision,
  createdAt,
  updatedAt,
}: ListedConversation): SavedConversationResponse => ({
  id,
  title,
  revision,
  created_at: createdAt.toISOString(),
  updated_at: updatedAt.toISOString(),
});
