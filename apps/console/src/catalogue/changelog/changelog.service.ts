import { Inject, Injectable, NotFoundException } from '@nestjs/common';
import { Database, newId, type Transaction } from '@inference/database';
import { readPage } from '@inference/http';
import { type CacheableResponse } from '../../caching/cached.decorator';
import { readLastChange } from '../../caching/catalogue-changes.repository';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { type Actor } from '../../identity/audit-log/actor';
import { recordActorEvent } from '../../identity/audit-log/audit-log';
import { atomFeed } from './atom-feed';
import {
  type ChangelogEntryDto,
  type ChangelogEntryResponse,
  type ChangelogQuery,
  type ChangelogResponse,
} from './changelog.dto';
import {
  deleteEntry,
  type EntryContent,
  insertEntry,
  listEntries,
  type PublicEntry,
  replaceEntry,
} from './changelog.repository';

const FEED_ENTRIES = 50;

function view({ id, title, body, component, tagName, publishedAt }: PublicEntry): ChangelogEntryResponse {
  return {
    id,
    title,
    body,
    ...(component === null ? {} : { component }),
    ...(tagName === null ? {} : { tag_name: tagName }),
    published_at: publishedAt.toISOString(),
  };
}

function contentOf({ title, body, component, tag_name, published_at }: ChangelogEntryDto): EntryContent {
  return {
    title,
    body,
    component: component ?? null,
    tagName: tag_name ?? null,
    publishedAt: published_at ?? null,
  };
}

/** Reads and edits the changelog. */
@Injectable()
export class ChangelogService {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  async list({ component, ...query }: ChangelogQuery): Promise<CacheableResponse<ChangelogResponse>> {
    const changedAt = await readLastChange(this.database, 'changelog');
    const { rows, nextCursor } = await readPage(`changelog ${component ?? ''}`, query, (after, count) =>
      listEntries(this.database, component ?? null, after, count),
    );
    return { body: { entries: rows.map(view), next_cursor: nextCursor }, changedAt };
  }

  /** The Atom feed. It has no Last-Modified, because it depends on the site's configuration too. */
  async feed(): Promise<CacheableResponse<string>> {
    const entries = await listEntries(this.database, null, null, FEED_ENTRIES);
    return { body: atomFeed(this.site, entries), changedAt: null };
  }

  async publish(admin: Actor, input: ChangelogEntryDto): Promise<ChangelogEntryResponse> {
    const id = newId('chg');
    const stored = await this.database.transaction(async (transaction) => {
      await this.record(transaction, admin, id, 'published');
      return insertEntry(transaction, id, contentOf(input), admin.accountId);
    });
    return view(stored);
  }

  async replace(admin: Actor, id: string, input: ChangelogEntryDto): Promise<ChangelogEntryResponse> {
    const stored = await this.database.transaction(async (transaction) => {
      const replaced = await replaceEntry(transaction, id, contentOf(input));
      if (!replaced) throw new NotFoundException('no such entry');
      await this.record(transaction, admin, id, 'replaced');
      return replaced;
    });
    return view(stored);
  }

  async remove(admin: Actor, id: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      if (!(await deleteEntry(transaction, id))) throw new NotFoundException('no such entry');
      await this.record(transaction, admin, id, 'removed');
    });
  }

  private record(
    transaction: Transaction,
    admin: Actor,
    entryId: string,
    action: 'published' | 'replaced' | 'removed',
  ): Promise<void> {
    return recordActorEvent(transaction, admin, 'admin.changelog_changed', { entry_id: entryId, action });
  }
}
