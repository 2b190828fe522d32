import { escapeXml } from '../xml/escape';

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';
/** Of one sitemap (sitemaps.org: Sitemap file limits). */
const MAX_URLS = 50_000;
const MAX_BYTES = 50 * 2 ** 20;
/** More than the declaration and the root element take. */
const FRAME_BYTES = 1_000;

export interface Place {
  url: string;
  /** Null when unknown. */
  changedAt: Date | null;
}

const element = (name: 'url' | 'sitemap', { url, changedAt }: Place): string => {
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

/** Puts places, one after the other, into sitemaps none of which is larger than the protocol allows. */
export class SitemapWriter {
  private readonly parts: Part[] = [];

  add(place: Place): void {
    const text = element('url', place);
    const bytes = Buffer.byteLength(text);
    let part = this.parts.at(-1);
    if (!part || part.urls === MAX_URLS || part.bytes + bytes > MAX_BYTES - FRAME_BYTES) {
      part = { content: '', urls: 0, bytes: 0, changedAt: null };
      this.parts.push(part);
    }
    part.content += text;
    part.urls++;
    part.bytes += bytes;
    const { changedAt } = place;
    if (changedAt && (!part.changedAt || changedAt > part.changedAt)) part.changedAt = changedAt;
  }

  /** The first document is /sitemap.xml; those that it is the index of, if there are any, come after it in order. */
  documents(urlOf: (number: number) => string): string[] {
    const sitemaps = this.parts.map(({ content }) => documentOf('urlset', content));
    if (sitemaps.length === 1) return sitemaps;
    const entries = this.parts.map(({ changedAt }, index) =>
      element('sitemap', { url: urlOf(index + 1), changedAt }),
    );
    return [documentOf('sitemapindex', entries.join('')), ...sitemaps];
  }
}
