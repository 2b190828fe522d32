import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Database } from '@inference/database';
import { stringifyExact } from '@inference/money';
import { Inject, Injectable, NotFoundException } from '@nestjs/common';
import { type Request } from 'express';
import { PricingService } from '../billing/pricing/pricing.service';
import { type CacheableResponse } from '../caching/cached.decorator';
import { readCatalogueVersion } from '../caching/catalogue-changes.repository';
import { AnnouncementsService } from '../notifications/announcements/announcements.service';
import { ChangelogService } from '../catalogue/changelog/changelog.service';
import { ModelsService } from '../catalogue/models/models.service';
import { SiteService } from '../catalogue/site/site.service';
import { SITE_CONFIG, type SiteConfig } from '../site.config';
import { StatusPageService } from '../status-page/status-page.service';
import { USER_INTERFACE_CONFIG, type UserInterfaceConfig } from './user-interface.config';

/** Of the build of `apps/console-ui`. */
const RENDERER = '.server/render.cjs';
const TEMPLATE = 'index.html';
const FILES = '.pages/files.json';
/** Path of the page that is rendered from the snapshot of `StatusPageService`. */
const STATUS_PAGE = '/status';
/** Paths of the pages of single models and packages; there is no end to those that do not exist. */
const MODEL_PAGE = /^\/(?:models|packages)\/(.+)$/;
/** A few hundred models in two languages. A page has about 20 kB. */
const MOST_KEPT_PAGES = 1_000;

/** `apps/console-ui/src/server.tsx`. */
interface Renderer {
  isRendered(path: string, query: string): boolean;
  languageOf(cookies: string, accepted: readonly string[], site: readonly string[]): string;
  renderPage(visit: {
    path: string;
    language: string;
    origin: string;
    template: string;
    files: unknown;
    read: (pathAndQuery: string) => Promise<string | undefined>;
  }): Promise<{ html: string; style: string } | Moved | undefined>;
}

/** The page is at another path now. */
interface Moved {
  location: string;
}

export interface RenderedPage {
  html: string;
  /** `sha256-…` of the only style element. */
  styleHash: string;
  language: string;
  etag: string;
}

/** Bodies of the API by path, as everybody gets them. */
type Answers = Record<string, (query: URLSearchParams) => Promise<CacheableResponse> | CacheableResponse>;

/**
 * The public pages with their content: rendered by the code of the pages, from what the public API answers, once after each change of
 * the catalogue or the announcements. They hold nothing of any account.
 */
@Injectable()
export class RenderedPages {
  private readonly renderer: Renderer | undefined;
  private readonly template: string = '';
  private readonly files: unknown;
  private readonly answers: Answers;
  private readonly pages = new KeptPages();
  private readonly statusPages = new KeptPages();
  private readonly slugs = new KeptSlugs();

  constructor(
    @Inject(USER_INTERFACE_CONFIG) { directory }: UserInterfaceConfig,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    private readonly database: Database,
    private readonly siteService: SiteService,
    private readonly models: ModelsService,
    private readonly pricing: PricingService,
    changelog: ChangelogService,
    private readonly announcements: AnnouncementsService,
    private readonly status: StatusPageService,
  ) {
    this.answers = {
      '/api/site': () => siteService.read(),
      '/api/pricing': () => pricing.read(null),
      '/api/models': (query) => models.list(pageOf(query)),
      '/api/changelog': (query) => changelog.list(pageOf(query)),
      '/api/announcements': () => announcements.listPublic(),
    };
    // Pages of an earlier build, and those of tests, have none.
    if (directory === undefined || !existsSync(join(directory, RENDERER))) return;
    this.renderer = createRequire(__filename)(join(directory, RENDERER)) as Renderer;
    this.template = readFileSync(join(directory, TEMPLATE), 'utf8');
    this.files = JSON.parse(readFileSync(join(directory, FILES), 'utf8'));
  }

  /** Whether the path is one of a page that comes with its content. */
  has(path: string, query: string): boolean {
    return this.renderer?.isRendered(path, query) ?? false;
  }

  /** Undefined if there is no such page, such as one of a model that is not published. */
  async render(path: string, request: Request): Promise<RenderedPage | Moved | undefined> {
    const { renderer } = this;
    const plainPath = normalized(path);
    if (!renderer || plainPath === undefined) return undefined;
    const { languages } = this.siteService.read().body;
    const language = renderer.languageOf(request.headers.cookie ?? '', request.acceptsLanguages(), languages);
    const key = `${language} ${plainPath}`;
    if (plainPath === STATUS_PAGE) return this.renderStatus(renderer, key, language);
    // Announcements begin and end with time.
    const [catalogue, announced] = await Promise.all([
      readCatalogueVersion(this.database),
      this.announcements.listPublic(),
    ]);
    const version = `${catalogue} ${JSON.stringify(announced.body)}`;
    const slug = MODEL_PAGE.exec(plainPath)?.[1];
    if (slug !== undefined && !(await this.readSlugs(version)).has(decodeURIComponent(slug)))
      return undefined;
    return this.pages.get(version, key, () => this.renderAnew(renderer, plainPath, language, this.answers));
  }

  /** The slugs of all models that have a price or a package. */
  private readSlugs(version: string): Promise<ReadonlySet<string>> {
    return this.slugs.get(version, async () => {
      const [{ body }, withPackage] = await Promise.all([this.pricing.read(null), this.models.listSlugs()]);
      return new Set([...body.models.map(({ slug }) => slug), ...withPackage]);
    });
  }

  /** Asks nothing of the database for a visit: people come when it is down. */
  private async renderStatus(
    renderer: Renderer,
    key: string,
    language: string,
  ): Promise<RenderedPage | Moved | undefined> {
    const snapshot = await this.status.read().catch(nothingFor404);
    if (!snapshot) return undefined;
    const answers: Answers = {
      ...this.answers,
      '/api/status': () => ({ body: snapshot.status, changedAt: null }),
      '/api/announcements': () => ({ body: snapshot.announcements, changedAt: null }),
    };
    return this.statusPages.get(snapshot.status.checked_at, key, () =>
      this.renderAnew(renderer, STATUS_PAGE, language, answers),
    );
  }

  private async renderAnew(
    renderer: Renderer,
    path: string,
    language: string,
    answers: Answers,
  ): Promise<RenderedPage | Moved | undefined> {
    const { template, files } = this;
    const origin = this.site.consoleUiUrl;
    const read = (pathAndQuery: string) => this.read(pathAndQuery, answers);
    const rendered = await renderer.renderPage({ path, language, origin, template, files, read });
    if (!rendered || 'location' in rendered) return rendered;
    const { html, style } = rendered;
    return {
      html,
      language,
      styleHash: `sha256-${createHash('sha256').update(style).digest('base64')}`,
      etag: `W/"${createHash('sha256').update(html).digest('base64url').slice(0, 27)}"`,
    };
  }

  /** Undefined for 404. */
  private async read(pathAndQuery: string, answers: Answers): Promise<string | undefined> {
    const { pathname, searchParams } = new URL(pathAndQuery, this.site.consoleUrl);
    const model = /^\/api\/models\/(.+)$/.exec(pathname)?.[1];
    const answer = model ? () => this.models.find(decodeURIComponent(model)) : answers[pathname];
    if (!answer) return undefined;
    try {
      const { body } = await answer(searchParams);
      return stringifyExact(body);
    } catch (error) {
      return nothingFor404(error);
    }
  }
}

function nothingFor404(error: unknown): undefined {
  if (!(error instanceof NotFoundException)) throw error;
}

/** Rendered pages of one version of what they show. */
class KeptPages {
  private version = '';
  private readonly kept = new Map<string, Promise<RenderedPage | Moved | undefined>>();

  /** Concurrent visits share one rendering. What failed is not kept. */
  get(
    version: string,
    key: string,
    render: () => Promise<RenderedPage | Moved | undefined>,
  ): Promise<RenderedPage | Moved | undefined> {
    if (version !== this.version) {
      this.kept.clear();
      this.version = version;
    }
    return this.kept.get(key) ?? this.keep(key, render());
  }

  private keep(
    key: string,
    page: Promise<RenderedPage | Moved | undefined>,
  ): Promise<RenderedPage | Moved | undefined> {
    this.kept.set(key, page);
    const [oldest] = this.kept.keys();
    if (this.kept.size > MOST_KEPT_PAGES && oldest !== undefined) this.kept.delete(oldest);
    const forget = () => this.kept.get(key) === page && this.kept.delete(key);
    page.catch(forget);
    return page;
  }
}

/** The slugs of one version of the catalogue. */
class KeptSlugs {
  private version = '';
  private slugs: Promise<ReadonlySet<string>> | undefined;

  /** Concurrent visits share one reading. What failed is not kept. */
  get(version: string, read: () => Promise<ReadonlySet<string>>): Promise<ReadonlySet<string>> {
    if (version === this.version && this.slugs) return this.slugs;
    const slugs = read();
    this.version = version;
    this.slugs = slugs;
    slugs.catch(() => {
      if (this.slugs === slugs) this.slugs = undefined;
    });
    return slugs;
  }
}

function pageOf(query: URLSearchParams) {
  const cursor = query.get('cursor');
  return { limit: Number(query.get('limit')), ...(cursor !== null && { cursor }) };
}

/** One spelling for every path that means the same. Undefined for one that cannot be decoded. */
function normalized(path: string): string | undefined {
  try {
    return decodeURIComponent(path).split('/').map(encodeURIComponent).join('/');
  } catch {
    return undefined;
  }
}
