import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type CanActivate,
  type ExceptionFilter,
  ForbiddenException,
  HttpStatus,
  RequestMethod,
  type Type,
} from '@nestjs/common';
import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  HTTP_CODE_METADATA,
  INTERCEPTORS_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  PIPES_METADATA,
} from '@nestjs/common/constants';
import { type ApplicationConfig, ModulesContainer } from '@nestjs/core';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { type Express, type Request, type Response } from 'express';
import { FAST_PATH } from './fast-path.decorator';
import { RouteContext } from './route-context';

type Handler = (request: Request, response: Response) => Promise<void>;

/** Middleware without asynchronous work. */
export type PlainMiddleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

export interface FastPathOptions {
  middleware: PlainMiddleware[];
  filter: ExceptionFilter;
}

interface Route {
  /** What Express would set as `request.route`. */
  route: { path: string };
  controller: Type;
  handler: Handler;
  /** The handler with its controller. */
  call: Handler;
  status: number;
}

const OWN_RULES = [GUARDS_METADATA, PIPES_METADATA, INTERCEPTORS_METADATA, EXCEPTION_FILTERS_METADATA];

const metadata = <Value>(key: string, target: object): Value => Reflect.getMetadata(key, target) as Value;

function routesOf(instance: object): [url: string, route: Route][] {
  const controller = instance.constructor as Type;
  const prototype = controller.prototype as Record<string, Handler>;
  return Object.getOwnPropertyNames(prototype)
    .filter((name) => name !== 'constructor' && metadata(FAST_PATH, prototype[name]!))
    .map((name) => {
      const handler = prototype[name]!;
      const path = `/${metadata<string>(PATH_METADATA, controller)}/${metadata<string>(PATH_METADATA, handler)}`;
      const hasOwnRules = OWN_RULES.some((key) => metadata(key, handler) ?? metadata(key, controller));
      if (hasOwnRules || metadata(METHOD_METADATA, handler) !== RequestMethod.POST)
        throw new Error(`${controller.name}.${name} cannot have a fast path.`);
      const status = metadata<number | undefined>(HTTP_CODE_METADATA, handler) ?? HttpStatus.CREATED;
      return [path, { route: { path }, controller, handler, call: handler.bind(instance), status }];
    });
}

const controllersOf = (app: NestExpressApplication): object[] =>
  [...app.get(ModulesContainer).values()].flatMap(({ controllers }) =>
    [...controllers.values()].flatMap(({ instance }) => instance ?? []),
  );

/** All global guards in the order in which Nest runs them. Nest keeps them in a private property. */
function globalGuardsOf(app: NestExpressApplication): CanActivate[] {
  const { config } = app as unknown as { config: ApplicationConfig };
  if (config.getGlobalInterceptors().length > 0 || config.getGlobalRequestGuards().length > 0)
    throw new Error('A fast path has no interceptors and no guards for each request.');
  return config.getGlobalGuards();
}

/**
 * Serves the handlers that are marked with `@FastPath()` ahead of Express: the same middleware, guards, handler and filter, without
 * the routers and wrappers between them. What is written differently from the route (letter case, a slash at the end, a
 * query) and other methods take the ordinary way, with the same result.
 */
export function serveFastPaths(app: NestExpressApplication, { middleware, filter }: FastPathOptions): void {
  const server = app.getHttpServer() as Server;
  const express = app.getHttpAdapter().getInstance() as Express;
  const routes = new Map(controllersOf(app).flatMap(routesOf));
  if (routes.size === 0) return;
  const guards = globalGuardsOf(app);

  async function run(context: RouteContext, { call }: Route, request: Request, response: Response) {
    try {
      for (const guard of guards) if (!(await guard.canActivate(context))) throw new ForbiddenException();
      await call(request, response);
    } catch (error) {
      filter.catch(error, context);
    }
  }

  function serve(route: Route, request: Request, response: Response): void {
    // What Express does first: its properties and methods of requests and responses.
    request.res = response;
    response.req = request;
    Object.setPrototypeOf(request, express.request);
    Object.setPrototypeOf(response, express.response);
    request.originalUrl = request.url;
    request.route = route.route;
    for (const pass of middleware) pass(request, response, () => undefined);
    response.statusCode = route.status;
    void run(new RouteContext(request, response, route.controller, route.handler), route, request, response);
  }

  server.removeListener('request', express);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const route = request.method === 'POST' ? routes.get(request.url ?? '') : undefined;
    if (route) serve(route, request as Request, response as Response);
    else express(request, response);
  });
}
