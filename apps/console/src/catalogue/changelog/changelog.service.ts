import { createHash } from 'node:crypto';
import { Database, newId, type Transaction } from '@inference/database';
import { readPage } from '@inference/http';
import { Inject, Injectable, NotFoundException } from '@nestjs/common';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordActorEvent } from '../../accounts/audit-log/audit-log';
import { type CacheableResponse } from '../../caching/cached.decorator';
import { readLastChange } from '../../caching/catalogue-changes.repository';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { escapeXml } from '../escape-xml';
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

/** Atom requires `updated`, even in a feed without entries. */
const NEVER = new Date(0);

/** An id that does not change when the site moves: a UUID of version 8 (RFC 9562) derived from the entry's id. */
function entryUrn(entryId: string): string {
  const bytes = createHash('sha256').update(`changelog ${entryId}`).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `urn:uuid:${hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')}`;
}

function entryElement(pageUrl: string, entry: PublicEntry): string {
  const { id, title, body, component, publishedAt, changedAt } = entry;
  const category = component === null ? '' : `\n    <category term="${component}"/>`;
  return `
  <entry>
    <id>${entryUrn(id)}</id>
    <title type="text">${escapeXml(title)}</title>
    <link rel="alternate" type="text/html" href="${escapeXml(`${pageUrl}#${id}`)}"/>
    <published>${publishedAt.toISOString()}</published>
    <updated>${changedAt.toISOString()}</updated>${category}
    <content type="text">${escapeXml(body)}</content>
  </entry>`;
}

/** The changelog as an Atom feed (RFC 4287). The entries' Markdown is sent as plain text. */
export function atomFeed(
  site: Pick<SiteConfig, 'name' | 'consoleUrl' | 'consoleUiUrl'>,
  entries: PublicEntry[],
): string {
  const feedUrl = escapeXml(`${site.consoleUrl}/api/changelog.atom`);
  const pageUrl = `${site.consoleUiUrl}/changelog`;
  const name = escapeXml(site.name);
  const changes = entries.map(({ changedAt }) => changedAt.getTime());
  const updated = entries.length === 0 ? NEVER : new Date(Math.max(...changes));
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${feedUrl}</id>
  <title type="text">${name}</title>
  <updated>${updated.toISOString()}</updated>
  <author><name>${name}</name></author>
  <link rel="self" type="application/atom+xml" href="${feedUrl}"/>
  <link rel="alternate" type="text/html" href="${escapeXml(pageUrl)}"/>${entries
    .map((entry) => entryElement(pageUrl, entry))
    .join('')}
</feed>
`;
}

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
