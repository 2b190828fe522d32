import { Inject, Injectable, NotFoundException } from '@nestjs/common';
import { inTransaction, newId, type Sql, SQL_POOL, type SqlPool } from '@inference/database';
import { readPage } from '@inference/http';
import { type Cacheable } from '../caching/cached';
import { readChange } from '../caching/changes';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type Actor } from '../events/actor';
import { recordAct } from '../events/security-events';
import { atomFeed } from './atom-feed';
import { type ChangelogEntry, type ChangelogEntryView, type ChangelogQuery } from './changelog.dto';
import {
  deleteEntry,
  type EntryContent,
  insertEntry,
  listEntries,
  replaceEntry,
  type StoredEntry,
} from './changelog.store';

const FEED_ENTRIES = 50;
const ID_FORM = /^chg_[0-9A-Za-z]{1,60}$/;

function view({ id, title, body, component, tagName, publishedAt }: StoredEntry): ChangelogEntryView {
  return {
    id,
    title,
    body,
    ...(component === null ? {} : { component }),
    ...(tagName === null ? {} : { tag_name: tagName }),
    published_at: publishedAt.toISOString(),
  };
}

function contentOf({ title, body, component, tag_name, published_at }: ChangelogEntry): EntryContent {
  return {
    title,
    body,
    component: component ?? null,
    tagName: tag_name ?? null,
    publishedAt: published_at ?? null,
  };
}

/** What is new, as the operator tells it. */
@Injectable()
export class ChangelogService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /** `{entries, next_cursor}` */
  async list({ component, ...query }: ChangelogQuery): Promise<Cacheable> {
    const changedAt = await readChange(this.pool, 'changelog');
    const { rows, nextCursor } = await readPage(`changelog ${component ?? ''}`, query, (after, count) =>
      listEntries(this.pool, component ?? null, after, count),
    );
    return { body: { entries: rows.map(view), next_cursor: nextCursor }, changedAt };
  }

  /** Undated, since the site's name and addresses are in it as well. */
  async feed(): Promise<Cacheable> {
    const entries = await listEntries(this.pool, null, null, FEED_ENTRIES);
    return { body: atomFeed(this.config, entries), changedAt: null };
  }

  async publish(admin: Actor, entry: ChangelogEntry): Promise<ChangelogEntryView> {
    const id = newId('chg');
    const stored = await inTransaction(this.pool, async (client) => {
      await this.record(client, admin, id, 'published');
      return insertEntry(client, id, contentOf(entry), admin.accountId);
    });
    return view(stored);
  }

  async replace(admin: Actor, id: string, entry: ChangelogEntry): Promise<ChangelogEntryView> {
    const stored = await inTransaction(this.pool, async (client) => {
      const replaced = ID_FORM.test(id) ? await replaceEntry(client, id, contentOf(entry)) : null;
      if (!replaced) throw new NotFoundException('no such entry');
      await this.record(client, admin, id, 'replaced');
      return replaced;
    });
    return view(stored);
  }

  async remove(admin: Actor, id: string): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      const removed = ID_FORM.test(id) && (await deleteEntry(client, id));
      if (!removed) throw new NotFoundException('no such entry');
      await this.record(client, admin, id, 'removed');
    });
  }

  private record(
    sql: Sql,
    admin: Actor,
    entryId: string,
    action: 'published' | 'replaced' | 'removed',
  ): Promise<void> {
    return recordAct(sql, admin, 'admin.changelog_changed', { entry_id: entryId, action });
  }
}
