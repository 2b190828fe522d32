import { Inject, Injectable, NotFoundException } from '@nestjs/common';
import { Database } from '@inference/database';
import { type CacheableResponse } from '../../caching/cached.decorator';
import { readTopicVersion } from '../../caching/catalogue-changes.repository';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { listPublishedSlugs } from '../models/models.repository';
import { SITEMAP_CONFIG, type SitemapConfig } from './sitemap.config';
import { SitemapWriter } from './sitemap-writer';

/** Models read by one query. Twice doubles the memory of a result; half doubles the number of queries. */
const BATCH_ROWS = 10_000;

interface Rendered {
  /** The version of the models topic, read before the models. */
  version: string | undefined;
  documents: Promise<string[]>;
}

/**
 * Lists the public pages and the published models for search engines. Rendering reads all models and the route is
 * public, so each process renders once per change. Responses have no Last-Modified, because they depend on the
 * configuration too.
 */
@Injectable()
export class SitemapService {
  private rendered: Rendered | undefined;

  constructor(
    private readonly database: Database,
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
    const version = await readTopicVersion(this.database, 'models');
    if (!this.rendered || this.rendered.version !== version) this.rendered = this.render(version);
    return this.rendered.documents;
  }

  /** Concurrent requests share one rendering. A failed rendering is not kept. */
  private render(version: string | undefined): Rendered {
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
    let afterSlug = '';
    for (;;) {
      const models = await listPublishedSlugs(this.database, afterSlug, BATCH_ROWS);
      for (const { slug, changedAt } of models) {
        const path = slug.split('/').map(encodeURIComponent).join('/');
        writer.add({ url: `${consoleUiUrl}/models/${path}`, changedAt });
      }
      const last = models.at(-1);
      if (!last || models.length < BATCH_ROWS)
        return writer.documents((number) => `${consoleUrl}/sitemap-${number}.xml`);
      afterSlug = last.slug;
    }
  }
}
