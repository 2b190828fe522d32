import { createHash } from 'node:crypto';
import { type SiteConfig } from '../../site.config';
import { escapeXml } from '../xml/escape-xml';
import { type PublicEntry } from './changelog.repository';

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
