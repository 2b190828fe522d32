import { escapeXml } from '../xml/escape-xml';

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';
/** Limits of one sitemap (sitemaps.org: Sitemap file limits). */
const MAX_URLS = 50_000;
const MAX_BYTES = 50 * 2 ** 20;
/** Upper bound of the size of the declaration and the root element. */
const ENVELOPE_BYTES = 1_000;

export interface SitemapUrl {
  url: string;
  /** Null if unknown. */
  changedAt: Date | null;
}

const element = (name: 'url' | 'sitemap', { url, changedAt }: SitemapUrl): string => {
  const changed = changedAt ? `<lastmod>${changedAt.toISOString()}</lastmod>` : '';
  return `<${name}><loc>${escapeXml(url)}</loc>${changed}</${name}>\n`;
};

const documentOf = (root: 'urlset' | 'sitemapindex', content: string): string =>
  `${DECLARATION}\n<${root} xmlns="${NAMESPACE}">\n${content}</${root}>\n`;

interface Part {
  content: string;
  urls: number;
  bytes: number;
  changedAt: Date | null;
}

/** Writes URLs into as many sitemaps as the limits of the protocol require. */
export class SitemapWriter {
  private readonly parts: Part[] = [];

  add(entry: SitemapUrl): void {
    const text = element('url', entry);
    const bytes = Buffer.byteLength(text);
    let part = this.parts.at(-1);
    if (!part || part.urls === MAX_URLS || part.bytes + bytes > MAX_BYTES - ENVELOPE_BYTES) {
      part = { content: '', urls: 0, bytes: 0, changedAt: null };
      this.parts.push(part);
    }
    part.content += text;
    part.urls++;
    part.bytes += bytes;
    const { changedAt } = entry;
    if (changedAt && (!part.changedAt || changedAt > part.changedAt)) part.changedAt = changedAt;
  }

  /**
   * Returns a single sitemap, or an index followed by its sitemaps.
   *
   * @param urlOf URL of the sitemap with this number, counted from 1
   */
  documents(urlOf: (number: number) => string): string[] {
    const sitemaps = this.parts.map(({ content }) => documentOf('urlset', content));
    if (sitemaps.length === 1) return sitemaps;
    const entries = this.parts.map(({ changedAt }, index) =>
      element('sitemap', { url: urlOf(index + 1), changedAt }),
    );
    return [documentOf('sitemapindex', entries.join('')), ...sitemaps];
  }
}
