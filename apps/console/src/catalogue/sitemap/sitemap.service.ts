import { Database } from '@inference/database';
import { Inject, Injectable, NotFoundException } from '@nestjs/common';
import { PricingService } from '../../billing/pricing/pricing.service';
import { type CacheableResponse } from '../../caching/cached.decorator';
import { readCatalogueVersion } from '../../caching/catalogue-changes.repository';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { SITEMAP_CONFIG, type SitemapConfig } from '../catalogue.config';
import { escapeXml } from '../escape-xml';
import { listPublishedSlugs } from '../models/models.repository';

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';
/** Limits of one sitemap (sitemaps.org: Sitemap file limits). */
const MAX_URLS = 50_000;
const MAX_BYTES = 50 * 2 ** 20;
/** Upper bound of the size of the declaration and the root element. */
const ENVELOPE_BYTES = 1_000;

interface SitemapUrl {
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

const pathOf = (slug: string) => slug.split('/').map(encodeURIComponent).join('/');

/** Models read by one query. Twice doubles the memory of a result; half doubles the number of queries. */
const BATCH_ROWS = 10_000;

interface Rendered {
  /** The version of the catalogue, read before its content. */
  version: string;
  documents: Promise<string[]>;
}

/**
 * Lists the public pages, the priced models and the published packages for search engines. Rendering reads all of them and the
 * route is public, so each process renders once per change. Responses have no Last-Modified, because they depend on the
 * configuration too.
 */
@Injectable()
export class SitemapService {
  private rendered: Rendered | undefined;

  constructor(
    private readonly database: Database,
    private readonly pricing: PricingService,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    @Inject(SITEMAP_CONFIG) private readonly config: SitemapConfig,
  ) {}

  /** The sitemap, or the index of the sitemaps if one cannot hold all URLs. */
  async readFirst(): Promise<CacheableResponse<string>> {
    const [first] = await this.current();
    return { body: first!, changedAt: null };
  }

  /** One sitemap of the index, counted from 1. Throws NotFoundException if there is none of this number. */
  async readNumbered(number: number): Promise<CacheableResponse<string>> {
    const body = (await this.current())[number];
    if (body === undefined) throw new NotFoundException('no such sitemap');
    return { body, changedAt: null };
  }

  private async current(): Promise<string[]> {
    const version = await readCatalogueVersion(this.database);
    if (!this.rendered || this.rendered.version !== version) this.rendered = this.render(version);
    return this.rendered.documents;
  }

  /** Concurrent requests share one rendering. A failed rendering is not kept. */
  private render(version: string): Rendered {
    const rendered: Rendered = { version, documents: this.readAll() };
    rendered.documents.catch(() => {
      if (this.rendered === rendered) this.rendered = undefined;
    });
    return rendered;
  }

  private async readAll(): Promise<string[]> {
    const { consoleUrl, consoleUiUrl } = this.site;
    const writer = new SitemapWriter();
    for (const path of this.config.pages) writer.add({ url: consoleUiUrl + path, changedAt: null });
    const priced = new Set((await this.pricing.read(null)).body.models.map(({ slug }) => slug));
    for (const slug of priced) writer.add({ url: `${consoleUiUrl}/models/${pathOf(slug)}`, changedAt: null });
    let afterSlug = '';
    for (;;) {
      const models = await listPublishedSlugs(this.database, afterSlug, BATCH_ROWS);
      for (const { slug, changedAt } of models) {
        writer.add({ url: `${consoleUiUrl}/packages/${pathOf(slug)}`, changedAt });
      }
      const last = models.at(-1);
      if (!last || models.length < BATCH_ROWS)
        return writer.documents((number) => `${consoleUrl}/sitemap-${number}.xml`);
      afterSlug = last.slug;
    }
  }
}
