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
  /** Hears of a request that needs no credential. Throws or rejects if the request is to be refused. */
  countPublic(request: Request): void | Promise<void>;
}

/** Hears of an error before it is answered, so that it can set headers. Must not throw. */
export type ErrorListener = (error: unknown, request: Request, response: Response) => void;

/** Shows a limit, if the service has one, every request and every error. */
@Injectable()
export class RefusedCalls {
  private limit: CallLimit | undefined;
  private announce: ErrorListener | undefined;

  limitBy(limit: CallLimit): void {
    this.limit = limit;
  }

  /** Whether the service limits requests that no guard sees. */
  get isLimited(): boolean {
    return this.limit !== undefined;
  }

  /** Announces every error to the listener. */
  beforeAnswer(listener: ErrorListener): void {
    this.announce = listener;
  }

  /** Middleware for all requests. */
  readonly check = (request: unknown, _response: unknown, next: () => void): void => {
    this.limit?.check(request as Request);
    next();
  };

  /** Middleware for public routes that answer without a guard, such as documents. */
  readonly countPublic = async (request: Request, _response: unknown, next: () => void): Promise<void> => {
    await this.limit?.countPublic(request);
    next();
  };

  /** The filter, which also reports what it has answered. */
  countedBy(filter: ExceptionFilter): ExceptionFilter {
    return new CountingFilter(
      filter,
      (...parts) => this.announce?.(...parts),
      (request, status) => this.limit?.count(request, status),
    );
  }
}

@Catch()
class CountingFilter implements ExceptionFilter {
  constructor(
    private readonly filter: ExceptionFilter,
    private readonly announce: ErrorListener,
    private readonly count: CallLimit['count'],
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    this.announce(error, request, response);
    this.filter.catch(error, host);
    this.count(request, response.statusCode);
  }
}
