import { existsSync, readdirSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { ConfigError } from '@inference/config';
import { RefusedCalls } from '@inference/http';
import { Inject, Injectable, Logger, type NestMiddleware } from '@nestjs/common';
import compression from 'compression';
import { type NextFunction, type Request, type Response } from 'express';
import send from 'send';
import { RenderedPages } from './rendered-pages.service';
import { USER_INTERFACE_CONFIG, type UserInterfaceConfig } from './user-interface.config';

/** Paths of the API and of operations. They are never answered with a page. */
const RESERVED = /^\/(api|healthz|metrics|\.well-known)(\/|$)|^\/sitemap(-\d+)?\.xml$/;
/** Names of these files contain a hash of their content. */
const HASHED_FILES = /^\/assets\//;
const RUNTIME_CONFIGURATION = '/config.json';
const START_PAGE = '/index.html';
/** The extensions of compressed files by their content coding, the better one first. */
const ENCODINGS = { br: '.br', gzip: '.gz' } as const;
type Encoding = keyof typeof ENCODINGS;
const SECONDS_PER_YEAR = 365 * 24 * 3_600;

/**
 * Serves the built pages of the console, compressed where the build has compressed them. Every navigation outside of the reserved
 * paths gets the start page, whose router shows the page of the path; that of a public page comes with its content. Whatever is no file and no navigation goes on to the routes.
 */
@Injectable()
export class UserInterfaceMiddleware implements NestMiddleware {
  private readonly logger = new Logger(UserInterfaceMiddleware.name);
  /** Paths of compressed files. */
  private readonly compressed: ReadonlySet<string>;

  constructor(
    @Inject(USER_INTERFACE_CONFIG) private readonly config: UserInterfaceConfig,
    private readonly pages: RenderedPages,
    private readonly refusedCalls: RefusedCalls,
  ) {
    if (config.directory !== undefined && !existsSync(join(config.directory, START_PAGE)))
      throw new ConfigError(['CONSOLE_UI_DIRECTORY: must be a folder with index.html']);
    this.compressed = new Set(config.directory === undefined ? [] : compressedPaths(config.directory));
  }

  use(request: Request, response: Response, next: NextFunction): void {
    const { directory } = this.config;
    const [path = '/', query = ''] = request.originalUrl.split('?');
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (directory === undefined || !reads || RESERVED.test(path)) return next();
    // The pages of this service call this service.
    if (path === RUNTIME_CONFIGURATION)
      return void response.set('Cache-Control', 'no-cache').json({ apiUrl: '' });
    if (this.pages.has(path, query)) {
      const send = () =>
        void this.sendRendered(directory, path, request, response, next).catch((error: unknown) => {
          // Its scripts show what they can, such as that a service is away.
          this.logger.error(error);
          this.sendFile(directory, START_PAGE, request, response, next);
        });
      return void this.refusedCalls.countPublic(request, response, send).catch(next);
    }
    if (path !== '/' && path !== START_PAGE)
      return this.sendFile(directory, path, request, response, () =>
        this.sendStartPage(directory, path, request, response, next),
      );
    this.sendStartPage(directory, path, request, response, next);
  }

  private async sendRendered(
    directory: string,
    path: string,
    request: Request,
    response: Response,
    next: NextFunction,
  ): Promise<void> {
    const page = await this.pages.render(path, request);
    // Its scripts say that there is no such page.
    if (!page) return this.sendFile(directory, START_PAGE, request, response.status(404), next);
    if ('location' in page) return response.set('Cache-Control', 'no-cache').redirect(302, page.location);
    // Express would send the whole page again to a client that asks with both.
    delete request.headers['cache-control'];
    response.vary('Accept-Language').vary('Cookie');
    response.set({
      ...this.headers([`'${page.styleHash}'`]),
      'Cache-Control': 'no-cache',
      'Content-Language': page.language,
      ETag: page.etag,
    });
    response.type('html').send(page.html);
  }

  private sendStartPage(
    directory: string,
    path: string,
    request: Request,
    response: Response,
    next: NextFunction,
  ): void {
    if (HASHED_FILES.test(path) || (!isNavigation(request) && path !== '/')) return next();
    this.sendFile(directory, START_PAGE, request, response, next);
  }

  private sendFile(
    root: string,
    path: string,
    request: Request,
    response: Response,
    otherwise: (error?: unknown) => void,
  ): void {
    const isHashed = HASHED_FILES.test(path);
    const encoding = this.encodingOf(path, request);
    const file = encoding === undefined ? path : path + ENCODINGS[encoding];
    send(request, file, { root, index: false, cacheControl: false })
      .on('headers', () => {
        if (encoding !== undefined) response.type(extname(path)).set('Content-Encoding', encoding);
        if (this.encodingsOf(path).length > 0) response.vary('Accept-Encoding');
        response.set({
          ...this.headers(),
          'Cache-Control': isHashed ? `public, max-age=${SECONDS_PER_YEAR}, immutable` : 'no-cache',
        });
      })
      .on('directory', () => otherwise())
      .on('error', () => otherwise())
      .pipe(response);
  }

  private headers(styleHashes: string[] = []) {
    return {
      'Content-Security-Policy': contentSecurityPolicy(this.config.calledOrigins, styleHashes),
      'Referrer-Policy': 'no-referrer',
    };
  }

  /** How the file is sent; undefined: as it is. */
  private encodingOf(path: string, request: Request): Encoding | undefined {
    return this.encodingsOf(path).find((name) => request.acceptsEncodings(name) === name);
  }

  private encodingsOf(path: string): Encoding[] {
    return (['br', 'gzip'] as const).filter((name) => this.compressed.has(path + ENCODINGS[name]));
  }
}

const isNavigation = (request: Request): boolean => request.headers.accept?.includes('text/html') ?? false;

/** Paths of the files that have a compressed one beside them, with its extension. */
function compressedPaths(directory: string): string[] {
  const extensions: string[] = Object.values(ENCODINGS);
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => extensions.includes(extname(name)))
    .map((name) => `/${name.split(sep).join('/')}`);
}

/**
 * The policy of the console's pages: own scripts and styles only, no inline ones, no frames, and calls to the listed
 * origins only.
 * @param styleHashes of style elements that the console itself has written into the page
 */
function contentSecurityPolicy(calledOrigins: string[], styleHashes: string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    ['style-src', "'self'", ...styleHashes].join(' '),
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${["'self'", ...calledOrigins].join(' ')}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Lists and reports. Streams of events and packages are sent as they are. */
const COMPRESSED_TYPES = /^(application\/(.+\+)?json|text\/(csv|html)|application\/xml)\b/;
/**
 * Routes whose answers hold secrets. Beside text of the sender, the length of a compressed answer could tell a secret to whoever
 * sees the traffic (BREACH).
 */
const SECRET_ROUTES = /^\/api\/(auth|api-keys)(\/|\?|$)/i;

const compress = compression({
  filter: (_request, response) => COMPRESSED_TYPES.test(String(response.getHeader('Content-Type') ?? '')),
});

/** Compresses long answers of the API for clients that take them so. */
@Injectable()
export class CompressedAnswersMiddleware implements NestMiddleware {
  use(request: Request, response: Response, next: NextFunction): void {
    if (SECRET_ROUTES.test(request.originalUrl)) return next();
    // Also with a 304, which has no body.
    response.vary('Accept-Encoding');
    compress(request, response, next);
  }
}
