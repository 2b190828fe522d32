import {
  BadRequestException,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  SetMetadata,
} from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { Reflector } from '@nestjs/core';
import { type Request } from 'express';
import { PUBLIC } from '../public.decorator';

/** Metadata key that the API document reads. */
export const ANY_QUERY = 'any query';

/** A handler or controller whose callers may add query parameters of their own, as crawlers, probes and identity providers do. */
export const AnyQuery = () => SetMetadata(ANY_QUERY, true);

/** Answers 400 to query parameters of a handler that takes none. The DTO class of a handler that takes some refuses the others. */
@Injectable()
export class QueryGuard implements CanActivate {
  /** Whether a handler has a parameter of the query. */
  private readonly withQuery = new WeakMap<object, boolean>();

  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (!request.url.includes('?')) return true;
    if (this.metadataOf(ANY_QUERY, context)) return true;
    if (this.metadataOf(PUBLIC, context)) ignoreToken(request);
    if (this.takesQuery(context)) return true;
    const names = Object.keys(request.query);
    if (names.length > 0) throw new BadRequestException(`${names.join(', ')}: is not known here`);
    return true;
  }

  private takesQuery(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    const known = this.withQuery.get(handler);
    if (known !== undefined) return known;
    const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler.name) ?? {}) as object;
    const hasQuery = Object.keys(args).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
    this.withQuery.set(handler, hasQuery);
    return hasQuery;
  }

  private metadataOf(key: string, context: ExecutionContext): boolean {
    return (
      this.reflector.getAllAndOverride<boolean>(key, [context.getHandler(), context.getClass()]) ?? false
    );
  }
}

/** A public route ignores every credential, so also one in the query. Express computes `query` anew each time it is read. */
function ignoreToken(request: Request): void {
  const { token: _ignored, ...query } = request.query;
  Object.defineProperty(request, 'query', { value: query });
}
