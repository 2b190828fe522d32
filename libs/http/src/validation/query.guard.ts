import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { Reflector } from '@nestjs/core';
import { unknownFields } from '@inference/dto';
import { type Request } from 'express';
import { PerRoute } from '../per-route';
import { PUBLIC } from '../public.decorator';
import { takesParameter } from './handler-parameters';

/** Metadata key that the API document reads. */
export const ANY_QUERY = 'any query';

/** A handler or controller whose callers may add query parameters of their own, as crawlers, probes and identity providers do. */
export const AnyQuery = () => SetMetadata(ANY_QUERY, true);

interface QueryRule {
  isAny: boolean;
  isPublic: boolean;
  /** Whether the handler has a parameter of the query. */
  isTaken: boolean;
}

/** Answers 400 to query parameters of a handler that takes none. The DTO class of a handler that takes some refuses the others. */
@Injectable()
export class QueryGuard implements CanActivate {
  private readonly rules: PerRoute<QueryRule>;

  constructor(reflector: Reflector) {
    this.rules = new PerRoute((context) => {
      const [handler, controller] = [context.getHandler(), context.getClass()];
      const isMarked = (key: string) =>
        reflector.getAllAndOverride<boolean>(key, [handler, controller]) ?? false;
      const isTaken = takesParameter(RouteParamtypes.QUERY, context);
      return { isAny: isMarked(ANY_QUERY), isPublic: isMarked(PUBLIC), isTaken };
    });
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (!request.url.includes('?')) return true;
    const { isAny, isPublic, isTaken } = this.rules.of(context);
    if (isAny) return true;
    if (isPublic) ignoreToken(request);
    if (isTaken) return true;
    const names = Object.keys(request.query);
    if (names.length > 0) throw unknownFields(names);
    return true;
  }
}

/** A public route ignores every credential, so also one in the query. Express computes `query` anew each time it is read. */
function ignoreToken(request: Request): void {
  const { token: _ignored, ...query } = request.query;
  Object.defineProperty(request, 'query', { value: query });
}
