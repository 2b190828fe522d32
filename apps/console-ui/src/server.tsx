import { createMemoryHistory } from '@tanstack/react-router';
import { renderToString } from 'react-dom/server';
import { type ConsoleApi, createConsoleApi, type Schemas } from './api/console-api';
import { createQueryClient } from './api/query-client';
import { Session } from './api/session';
import { siteQuery } from './api/site';
import { App } from './app/app';
import { Appearance } from './app/appearance';
import { createAppRouter } from './app/router';
import { servedPageElement } from './app/served-page';
import { type PageHead, PageHeadProvider } from './components/page-title';
import { announcementsQuery } from './features/announcements/announcements-query';
import { changelogQuery } from './features/changelog/changelog-queries';
import { modelFilterIn } from './features/models/model-filter';
import { modelQuery, modelsQuery } from './features/models/model-queries';
import { pricingQuery } from './features/pricing/pricing-queries';
import { statusQuery } from './features/status/status-query';
import { chooseLanguage, type Language, LANGUAGE_COOKIE } from './language/language';

/**
 * Renders the public pages to HTML, for the console, which loads this module from the folder of the pages. The content is there before
 * any script, for search engines too. The scripts replace it by the same, with what visitors can do.
 */

interface PublicPage {
  path: RegExp;
  /** Below `features`. */
  module: string;
  /** Whether its address may hold a filter. A filtered page comes empty. */
  isFiltered?: boolean;
  /** What the page shows. */
  load: (load: Loader, api: ConsoleApi, slug: string) => Promise<unknown>[];
  /** Where the page is by what was loaded, if not here: a path, or nowhere. */
  elsewhere?: (loaded: unknown[], slug: string) => string | undefined;
}

type Pricing = Schemas['PricingResponse'];

type Queries = ReturnType<typeof createQueryClient>;
type Loader = Pick<Queries, 'fetchQuery' | 'fetchInfiniteQuery'>;

const PAGES: PublicPage[] = [
  {
    path: /^\/$/,
    module: 'landing/landing-page',
    load: (load, api) => [load.fetchQuery(pricingQuery(api))],
  },
  {
    path: /^\/pricing$/,
    module: 'pricing/pricing-page',
    load: (load, api) => [load.fetchQuery(pricingQuery(api))],
  },
  {
    path: /^\/models$/,
    module: 'models/models-page',
    isFiltered: true,
    load: (load, api) => [load.fetchQuery(pricingQuery(api))],
  },
  {
    path: /^\/models\/(.+)$/,
    module: 'models/model-page',
    load: (load, api, slug) => [load.fetchQuery(pricingQuery(api)), load.fetchQuery(modelQuery(api, slug))],
    elsewhere: ([pricing, download], slug) => {
      if ((pricing as Pricing).models.some((model) => model.slug === slug)) return undefined;
      return download === null ? 'nowhere' : `/packages/${slug.split('/').map(encodeURIComponent).join('/')}`;
    },
  },
  {
    path: /^\/packages$/,
    module: 'models/packages-page',
    isFiltered: true,
    load: (load, api) => [load.fetchQuery(modelsQuery(api))],
  },
  {
    path: /^\/packages\/(.+)$/,
    module: 'models/package-page',
    load: (load, api, slug) => [load.fetchQuery(modelQuery(api, slug)), load.fetchQuery(pricingQuery(api))],
    elsewhere: ([download]) => (download === null ? 'nowhere' : undefined),
  },
  {
    path: /^\/docs$/,
    module: 'docs/docs-page',
    load: (load, api) => [load.fetchQuery(pricingQuery(api))],
  },
  {
    path: /^\/changelog$/,
    module: 'changelog/changelog-page',
    load: (load, api) => [load.fetchInfiniteQuery(changelogQuery(api))],
  },
  {
    path: /^\/status$/,
    module: 'status/status-page',
    load: (load, api) => [load.fetchQuery(statusQuery(api))],
  },
];

/** Files of the build by page (`pageFiles` in `chunks.ts`). */
export type PageFiles = Record<string, { scripts: string[]; styles: string[] }>;

export interface Visit {
  /** Of the address. */
  path: string;
  language: Language;
  /** Address of the pages without a slash at its end. */
  origin: string;
  /** `index.html` of the build. */
  template: string;
  files: PageFiles;
  /** The body of a public `GET` of the console; undefined if it answers 404. */
  read: (pathAndQuery: string) => Promise<string | undefined>;
}

export interface RenderedPage {
  html: string;
  /** The only content of a `<style>` element that the policy of the page has to allow. */
  style: string;
}

/** Whether the page comes with its content. Others come empty, and their scripts fill them. */
export const isRendered = (path: string, query: string): boolean =>
  PAGES.some((page) => page.path.test(path) && (!page.isFiltered || !isFiltered(query)));

const isFiltered = (query: string) =>
  Object.keys(modelFilterIn(Object.fromEntries(new URLSearchParams(query)))).length > 0;

/** The language of a visit: the chosen one, the browser's, or the site's. */
export function languageOf(cookies: string, accepted: readonly string[], site: readonly string[]): Language {
  const chosen = new RegExp(`(?:^|;\\s*)${LANGUAGE_COOKIE}=([\\w-]+)`).exec(cookies)?.[1];
  return chooseLanguage([...(chosen ? [chosen] : []), ...accepted], chooseLanguage(site));
}

/**
 * Undefined if there is no such page, such as one of a model that is not offered; a path if the page has moved. Throws if something
 * cannot be read.
 */
export async function renderPage(visit: Visit): Promise<RenderedPage | { location: string } | undefined> {
  const { path, language, origin } = visit;
  const page = PAGES.find((one) => one.path.test(path));
  if (!page) return undefined;
  const session = new Session(origin, { status: 'signed-out' });
  const api = createConsoleApi(origin, session, answersFrom(visit));
  const queryClient = createQueryClient();
  const router = createAppRouter(session, createMemoryHistory({ initialEntries: [path] }));
  try {
    const slug = decodeURIComponent(page.path.exec(path)?.[1] ?? '');
    const loads = page.load(queryClient, api, slug);
    const loaded = await Promise.all(loads);
    const location = page.elsewhere?.(loaded, slug);
    if (location !== undefined) return location === 'nowhere' ? undefined : { location };
    await Promise.all([
      router.load(),
      queryClient.fetchQuery(siteQuery(api)),
      queryClient.fetchQuery(announcementsQuery(api, false)),
    ]);
    const head: PageHead = { title: '', description: '' };
    const config = { apiUrl: '', origin };
    const markup = renderToString(
      <PageHeadProvider value={head}>
        <Appearance wanted={[language]}>
          <App {...{ config, session, api, queryClient, router }} />
        </Appearance>
      </PageHeadProvider>,
    );
    const queries = queryClient.getQueryCache().getAll();
    const served = servedPageElement({
      config,
      queries: queries.map(({ queryKey, state }) => [queryKey, state.data]),
    });
    return assemble(visit, page, head, { markup, served });
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  } finally {
    queryClient.clear();
  }
}

/** A `fetch` of what the console itself answers. */
const answersFrom =
  ({ read }: Visit): typeof fetch =>
  async (request) => {
    const { pathname, search } = new URL((request as Request).url);
    const body = await read(pathname + search);
    return new Response(body ?? '{}', { status: body === undefined ? 404 : 200 });
  };

const OG_LOCALES: Record<Language, string> = { en: 'en_US', 'zh-CN': 'zh_CN' };
const PREVIEW = { path: '/social-preview.png', width: 1200, height: 630 };
const WAITING_ROOT = /<div id="root">.*?<\/div>/s;
const NO_SCRIPT = /\s*<noscript>.*?<\/noscript>/s;

const escapeText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function assemble(
  { path, language, origin, template, files }: Visit,
  page: PublicPage,
  head: PageHead,
  { markup, served }: { markup: string; served: string },
): RenderedPage {
  const { content, style } = withoutStyleAttributes(markup);
  const url = origin + path;
  const meta = (kind: 'name' | 'property', entries: Record<string, string | number>) =>
    Object.entries(entries).map(
      ([name, value]) => `<meta ${kind}="${name}" content="${escapeText(String(value))}" />`,
    );
  const { scripts, styles } = files[page.module] ?? { scripts: [], styles: [] };
  const isNew = (file: string) => !template.includes(file);
  const tags = [
    `<title>${escapeText(head.title)}</title>`,
    `<link rel="canonical" href="${escapeText(url)}" />`,
    ...meta('name', { description: head.description, 'twitter:card': 'summary_large_image' }),
    ...meta('property', {
      'og:type': 'website',
      'og:title': head.title,
      'og:description': head.description,
      'og:url': url,
      'og:locale': OG_LOCALES[language],
      'og:image': origin + PREVIEW.path,
      'og:image:width': PREVIEW.width,
      'og:image:height': PREVIEW.height,
    }),
    ...styles.filter(isNew).map((file) => `<link rel="stylesheet" href="/${file}" />`),
    ...scripts.filter(isNew).map((file) => `<link rel="modulepreload" href="/${file}" />`),
    `<style>${style}</style>`,
  ];
  const html = template
    .replace('<html lang="en"', () => `<html lang="${language}"`)
    .replace(/<title>.*?<\/title>/, '')
    .replace(NO_SCRIPT, '')
    .replace('</head>', () => `${tags.join('\n    ')}\n  </head>`)
    .replace(WAITING_ROOT, () => `<div id="root">${content}</div>${served}`);
  return { html, style };
}

/** The policy of the pages forbids style attributes in HTML: they become rules of one style element. */
function withoutStyleAttributes(html: string): { content: string; style: string } {
  const numbers = new Map<string, number>();
  // React escapes quotation marks in texts, so that this is an attribute.
  const content = html.replace(/ style="([^"]*)"/g, (_attribute, declarations: string) => {
    const number = numbers.get(declarations) ?? numbers.size;
    numbers.set(declarations, number);
    return ` data-style="${number}"`;
  });
  const rules = [...numbers].map(([declarations, number]) => {
    const attribute = `[data-style="${number}"]`;
    // An attribute is stronger than every class.
    return `${attribute.repeat(3)}{${unescapeText(declarations).replaceAll('<', '\\3c ')}}`;
  });
  return { content, style: rules.join('') };
}

const unescapeText = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
