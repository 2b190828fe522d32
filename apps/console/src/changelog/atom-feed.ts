import { createHash } from 'node:crypto';
import { type ConsoleConfig } from '../config';
import { escapeXml } from '../xml/escape';
import { type StoredEntry } from './changelog.store';

/** A feed has to tell when it was changed, even one that never had an entry. */
const NEVER = new Date(0);

type FeedConfig = Pick<ConsoleConfig, 'SITE_NAME' | 'CONSOLE_URL' | 'CONSOLE_UI_URL'>;

/** Stays the same wherever the site moves, and no other site has it (RFC 9562, version 8). */
function entryUrn(entryId: string): string {
  const bytes = createHash('sha256').update(`changelog ${entryId}`).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `urn:uuid:${hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')}`;
}

function entryElement(pageUrl: string, entry: StoredEntry): string {
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

/** The changelog as an Atom feed (RFC 4287); the entries' Markdown is given as plain text. */
export function atomFeed(config: FeedConfig, entries: StoredEntry[]): string {
  const feedUrl = escapeXml(`${config.CONSOLE_URL}/api/changelog.atom`);
  const pageUrl = `${config.CONSOLE_UI_URL}/changelog`;
  const name = escapeXml(config.SITE_NAME);
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
