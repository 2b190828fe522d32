import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@inference/config';
import { Inject, Injectable, type NestMiddleware } from '@nestjs/common';
import { type NextFunction, type Request, type Response } from 'express';
import send from 'send';
import { USER_INTERFACE_CONFIG, type UserInterfaceConfig } from './user-interface.config';

/** Paths of the API and of operations. They are never answered with a page. */
const RESERVED = /^\/(api|healthz|metrics|\.well-known)(\/|$)|^\/sitemap(-\d+)?\.xml$/;
/** Names of these files contain a hash of their content. */
const HASHED_FILES = /^\/assets\//;
const RUNTIME_CONFIGURATION = '/config.json';
const START_PAGE = '/index.html';
const SECONDS_PER_YEAR = 365 * 24 * 3_600;

/**
 * Serves the built pages of the console. Every navigation outside of the reserved paths gets the start page, whose router
 * shows the page of the path. Whatever is no file and no navigation goes on to the routes.
 */
@Injectable()
export class UserInterfaceMiddleware implements NestMiddleware {
  private readonly policy: string;

  constructor(@Inject(USER_INTERFACE_CONFIG) private readonly config: UserInterfaceConfig) {
    if (config.directory !== undefined && !existsSync(join(config.directory, START_PAGE)))
      throw new ConfigError(['CONSOLE_UI_DIRECTORY: must be a folder with index.html']);
    this.policy = contentSecurityPolicy(config.calledOrigins);
  }

  use(request: Request, response: Response, next: NextFunction): void {
    const { directory } = this.config;
    const [path = '/'] = request.originalUrl.split('?');
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (directory === undefined || !reads || RESERVED.test(path)) return next();
    // The pages of this service call this service.
    if (path === RUNTIME_CONFIGURATION)
      return void response.set('Cache-Control', 'no-cache').json({ apiUrl: '' });
    if (path !== '/' && path !== START_PAGE)
      return this.sendFile(directory, path, request, response, () =>
        this.sendStartPage(directory, path, request, response, next),
      );
    this.sendStartPage(directory, path, request, response, next);
  }

  private sendStartPage(
    directory: string,
    path: string,
    request: Request,
    response: Response,
    next: NextFunction,
  ): void {
    const isNavigation = request.headers.accept?.includes('text/html') ?? false;
    if (HASHED_FILES.test(path) || (!isNavigation && path !== '/')) return next();
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
    send(request, path, { root, index: false, cacheControl: false })
      .on('headers', () => {
        response.set({
          'Cache-Control': isHashed ? `public, max-age=${SECONDS_PER_YEAR}, immutable` : 'no-cache',
          'Content-Security-Policy': this.policy,
          'Referrer-Policy': 'no-referrer',
        });
      })
      .on('directory', () => otherwise())
      .on('error', () => otherwise())
      .pipe(response);
  }
}

/**
 * The policy of the console's pages: own scripts and styles only, no inline ones, no frames, and calls to the listed
 * origins only.
 */
function contentSecurityPolicy(calledOrigins: string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${["'self'", ...calledOrigins].join(' ')}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
