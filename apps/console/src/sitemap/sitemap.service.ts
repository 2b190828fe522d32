import { Inject, Injectable, NotFoundException } from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { type Cacheable } from '../caching/cached';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { SitemapWriter } from './sitemap-xml';

const BATCH = 10_000;
const NUMBER_FORM = /^[1-9]\d{0,4}$/;

/** To the microsecond, which a Date cannot tell. */
const VERSION = "SELECT changed_at::text AS version FROM catalogue.changes WHERE topic = 'models'";
const MODELS = `
  SELECT slug, changed_at FROM catalogue.models
  WHERE package_id IS NOT NULL AND slug > $1 ORDER BY slug LIMIT $2`;

interface Rendered {
  /** Of the models at the time or before. */
  version: string | undefined;
  documents: Promise<string[]>;
}

/**
 * The public pages and the published models, for search engines. Reading all models takes a while, and anybody may ask:
 * each process renders them once for every change. Undated, since the configuration is part of what it says.
 */
@Injectable()
export class SitemapService {
  private rendered: Rendered | undefined;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /** All places, or the index of the sitemaps if they are too many for one. */
  async readFirst(): Promise<Cacheable> {
    const [first] = await this.current();
    return { body: first!, changedAt: null };
  }

  /** A sitemap of the index, counted from 1. */
  async readNumbered(number: string): Promise<Cacheable> {
    const body = NUMBER_FORM.test(number) ? (await this.current())[Number(number)] : undefined;
    if (body === undefined) throw new NotFoundException('no such sitemap');
    return { body, changedAt: null };
  }

  private async current(): Promise<string[]> {
    const { rows } = await this.pool.query<{ version: string }>(VERSION);
    const version = rows[0]?.version;
    if (!this.rendered || this.rendered.version !== version) this.rendered = this.render(version);
    return this.rendered.documents;
  }

  /** Requests that come meanwhile wait for the same; what fails is not kept. */
  private render(version: string | undefined): Rendered {
    const rendered: Rendered = { version, documents: this.readAll() };
    rendered.documents.catch(() => {
      if (this.rendered === rendered) this.rendered = undefined;
    });
    return rendered;
  }

  private async readAll(): Promise<string[]> {
    const { CONSOLE_URL: siteUrl, CONSOLE_UI_URL: pagesUrl, catalogue } = this.config;
    const writer = new SitemapWriter();
    for (const path of catalogue.sitemapPages) writer.add({ url: pagesUrl + path, changedAt: null });
    let after = '';
    for (;;) {
      const { rows } = await this.pool.query<{ slug: string; changed_at: Date }>(MODELS, [after, BATCH]);
      for (const { slug, changed_at: changedAt } of rows) {
        const path = slug.split('/').map(encodeURIComponent).join('/');
        writer.add({ url: `${pagesUrl}/models/${path}`, changedAt });
      }
      const last = rows.at(-1);
      if (!last || rows.length < BATCH)
        return writer.documents((number) => `${siteUrl}/sitemap-${number}.xml`);
      after = last.slug;
    }
  }
}
