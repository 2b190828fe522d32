import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  ForbiddenException,
  HttpStatus,
  RequestMethod,
  SetMetadata,
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
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { type HttpArgumentsHost } from '@nestjs/common/interfaces';
import { type ApplicationConfig, ModulesContainer } from '@nestjs/core';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { type Express, type Request, type Response } from 'express';
import { logFailure } from './logging/request-logger';

const FAST_PATH = 'fast path';

/**
 * Serves a `POST` handler without Express and Nest's router (see serveFastPaths). Its parameters are `@Req()` and `@Res()`, in
 * this order, and it writes the response itself. Guards, pipes, interceptors and filters of its own are not possible.
 */
export const FastPath = () => SetMetadata(FAST_PATH, true);

type RouteHandler = ReturnType<ExecutionContext['getHandler']>;

/** What guards and filters learn of a request; lighter than Nest's own context, which creates three functions at each look. */
class RouteContext implements ExecutionContext, HttpArgumentsHost {
  constructor(
    private readonly request: Request,
    private readonly response: Response,
    private readonly controller: Type,
    private readonly handler: RouteHandler,
  ) {}

  getClass<T>(): Type<T> {
    return this.controller;
  }

  getHandler(): RouteHandler {
    return this.handler;
  }

  getType<Context extends string>(): Context {
    return 'http' as Context;
  }

  getArgs<Args extends unknown[]>(): Args {
    return [this.request, this.response] as unknown as Args;
  }

  getArgByIndex<T>(index: number): T {
    return this.getArgs()[index] as T;
  }

  switchToHttp(): HttpArgumentsHost {
    return this;
  }

  getRequest<T>(): T {
    return this.request as T;
  }

  getResponse<T>(): T {
    return this.response as T;
  }

  getNext<T>(): T {
    return undefined as T;
  }

  switchToRpc(): never {
    throw new Error('The request is HTTP.');
  }

  switchToWs(): never {
    throw new Error('The request is HTTP.');
  }
}

type Handler = (request: Request, response: Response) => Promise<void>;

/** Middleware that works at once and always calls `next`. */
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

/** `@Req()` and `@Res()`, in this order. */
const PARAMETERS = [`${RouteParamtypes.REQUEST}:0`, `${RouteParamtypes.RESPONSE}:1`];

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
      const parameters = Object.keys(parametersOf(controller, name)).sort();
      const takesOthers = parameters.join() !== PARAMETERS.join();
      if (hasOwnRules || takesOthers || metadata(METHOD_METADATA, handler) !== RequestMethod.POST)
        throw new Error(`${controller.name}.${name} cannot have a fast path.`);
      const status = metadata<number | undefined>(HTTP_CODE_METADATA, handler) ?? HttpStatus.CREATED;
      return [path, { route: { path }, controller, handler, call: handler.bind(instance), status }];
    });
}

const parametersOf = (controller: Type, name: string) =>
  (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as object;

const controllersOf = (app: NestExpressApplication): object[] =>
  [...app.get(ModulesContainer).values()].flatMap(({ controllers }) =>
    [...controllers.values()].flatMap(({ instance }) => instance ?? []),
  );

/** All global guards in the order in which Nest runs them. Nest keeps them in a private property. */
function globalGuardsOf(app: NestExpressApplication, filter: ExceptionFilter): CanActivate[] {
  const { config } = app as unknown as { config: ApplicationConfig };
  const unknown = [
    ...config.getGlobalInterceptors(),
    ...config.getGlobalRequestInterceptors(),
    ...config.getGlobalRequestGuards(),
    ...config.getGlobalRequestFilters(),
    ...config.getGlobalFilters().filter((other) => other !== filter),
  ];
  if (unknown.length > 0)
    throw new Error(
      'A fast path has no interceptors, no other filter, and nothing that is made for each request.',
    );
  return config.getGlobalGuards();
}

/**
 * Serves the handlers that are marked with `@FastPath()` ahead of Express: the same middleware, guards, handler and filter, without
 * the routers and wrappers between them. What is written differently from the route (letter case, a slash at the end, a
 * query) takes the ordinary way to the same handler; other methods are answered there. The server has to create requests and
 * responses with Express's prototypes (see ServerAdapter).
 */
export function serveFastPaths(app: NestExpressApplication, { middleware, filter }: FastPathOptions): void {
  const server = app.getHttpServer() as Server;
  const express = app.getHttpAdapter().getInstance() as Express;
  const routes = new Map(controllersOf(app).flatMap(routesOf));
  if (routes.size === 0) return;
  const guards = globalGuardsOf(app, filter);

  async function run(context: RouteContext, { call }: Route, request: Request, response: Response) {
    try {
      // Anything but true refuses, also an Observable, which no guard here returns.
      for (const guard of guards)
        if ((await guard.canActivate(context)) !== true) throw new ForbiddenException();
      await call(request, response);
    } catch (error) {
      renderError(error, context, request, response);
    }
  }

  function renderError(error: unknown, context: RouteContext, request: Request, response: Response): void {
    try {
      filter.catch(error, context);
    } catch (fault) {
      logFailure(request, fault);
      response.destroy();
    }
  }

  function serve(route: Route, request: Request, response: Response): void {
    // As Express's handler and its router do.
    request.res = response;
    response.req = request;
    request.originalUrl = request.url;
    request.route = route.route;
    const context = new RouteContext(request, response, route.controller, route.handler);
    try {
      for (const pass of middleware) pass(request, response, () => undefined);
    } catch (error) {
      return renderError(error, context, request, response);
    }
    response.statusCode = route.status;
    void run(context, route, request, response);
  }

  if (!server.listeners('request').includes(express))
    throw new Error('Express does not listen to the server.');
  server.removeListener('request', express);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const route = request.method === 'POST' ? routes.get(request.url ?? '') : undefined;
    if (route) serve(route, request as Request, response as Response);
    else express(request, response);
  });
}
