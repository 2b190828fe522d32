import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable } from '@nestjs/common';
import { type Request, type Response } from 'express';

declare module 'express' {
  interface Request {
    /** The platform's own service that sends the request, as its credential proves. */
    service?: string;
  }
}

/** Limits the calls that a service refuses. */
export interface CallLimit {
  /** Throws if the request is to be refused before anything of it is looked at. */
  check(request: Request): void;
  /** Hears of a request that was answered with an error. */
  count(request: Request, status: number): void;
  /** Hears of a request that needs no credential. */
  countPublic(request: Request): void;
}

/** Shows a limit, if the service has one, every request and every error. */
@Injectable()
export class RefusedCalls {
  private limit: CallLimit | undefined;

  limitBy(limit: CallLimit): void {
    this.limit = limit;
  }

  /** Middleware for all requests. */
  readonly check = (request: unknown, _response: unknown, next: () => void): void => {
    this.limit?.check(request as Request);
    next();
  };

  /** Middleware for public routes that answer without a guard, such as documents. */
  readonly countPublic = (request: Request, _response: unknown, next: () => void): void => {
    this.limit?.countPublic(request);
    next();
  };

  /** The filter, which also reports what it has answered. */
  countedBy(filter: ExceptionFilter): ExceptionFilter {
    return new CountingFilter(filter, (request, status) => this.limit?.count(request, status));
  }
}

@Catch()
class CountingFilter implements ExceptionFilter {
  constructor(
    private readonly filter: ExceptionFilter,
    private readonly count: CallLimit['count'],
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    this.filter.catch(error, host);
    const http = host.switchToHttp();
    this.count(http.getRequest<Request>(), http.getResponse<Response>().statusCode);
  }
}
