import { unknownFields } from '@inference/dto';
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
import { PerRoute, PUBLIC } from '../per-route';

/** Whether the handler of a route has a parameter of a kind, such as the query. */
function takesParameter(
  kind: RouteParamtypes,
  context: Pick<ExecutionContext, 'getHandler' | 'getClass'>,
): boolean {
  const { name } = context.getHandler();
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), name) ?? {}) as object;
  return Object.keys(args).some((key) => key.startsWith(`${kind}:`));
}

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

/**
 * Answers 400 to the fields of a JSON body whose handler takes none: the client expects an effect that they do not have. An empty
 * object passes, because many clients send one with every POST.
 */
export class UnexpectedBodyGuard implements CanActivate {
  private readonly isTaken = new PerRoute((context) => takesParameter(RouteParamtypes.BODY, context));

  canActivate(context: ExecutionContext): boolean {
    const body: unknown = context.switchToHttp().getRequest<Request>().body;
    if (body === undefined || Buffer.isBuffer(body) || this.isTaken.of(context)) return true;
    if (body === null || typeof body !== 'object' || Array.isArray(body))
      throw new BadRequestException('the body must be empty or an empty JSON object');
    const names = Object.keys(body);
    if (names.length > 0) throw unknownFields(names);
    return true;
  }
}
