import {
  BadRequestException,
  type CanActivate,
  type ExecutionContext,
  SetMetadata,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import { type Reflector } from '@nestjs/core';
import { type Request, type Response } from 'express';
import { JsonFault } from '../json/json-bytes';
import { readJsonInSlices, withoutByteOrderMark } from '../json/json-reader';
import { PerRoute, PUBLIC } from '../per-route';
import { type BodyReader, hasBody, requireConnected } from './body-reader';

/**
 * How a handler gets the body: parsed JSON, the bytes of what should be JSON, the bytes of any content, or the unread stream of the
 * request. Whoever parses bytes does so with `readJsonInSlices`, within its limits and while `requireConnected` passes.
 */
export type BodyForm = 'json' | 'unparsed-json' | 'bytes' | 'stream';

export interface BodyRule {
  form: BodyForm;
  /** Largest body in bytes; the limit of the service if absent. */
  limitBytes?: number;
}

const BODY_RULE = 'body rule';

/** Without this decorator a handler gets parsed JSON. A handler with `stream` reads the request itself and limits its size. */
export const BodyAs = (form: BodyForm, limitBytes?: number) =>
  SetMetadata(BODY_RULE, { form, ...(limitBytes !== undefined && { limitBytes }) } satisfies BodyRule);

/** The rule of a handler or of its controller. */
export function bodyRuleOf(context: Pick<ExecutionContext, 'getHandler' | 'getClass'>): BodyRule {
  const rule = (target: object) => Reflect.getMetadata(BODY_RULE, target) as BodyRule | undefined;
  return rule(context.getHandler()) ?? rule(context.getClass()) ?? { form: 'json' };
}

const JSON_TYPE = /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;

/** Throws 415 unless the content type is JSON in UTF-8. */
export function requireJson(contentType: string | undefined): void {
  if (!JSON_TYPE.test(contentType ?? ''))
    throw new UnsupportedMediaTypeException('the content type must be application/json');
  const charset = CHARSET.exec(contentType ?? '')?.[1]?.toLowerCase();
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')
    throw new UnsupportedMediaTypeException('the charset must be utf-8');
}

/**
 * Parses a body. Throws 400 if it is not JSON or exceeds JSON_LIMITS. The message never quotes the body. Other requests have their
 * turn while a long body is parsed.
 * @param refuseInexactNumbers throw 400 also for a number that a double cannot hold: 4.999999999999999999 would become 5
 * @param beforeSlice see `readJsonInSlices`
 */
export async function parseJsonBody(
  bytes: Buffer,
  refuseInexactNumbers = false,
  beforeSlice?: () => void,
): Promise<unknown> {
  try {
    const { value } = await readJsonInSlices(
      withoutByteOrderMark(bytes),
      { refuseInexactNumbers },
      beforeSlice,
    );
    return value;
  } catch (error) {
    throw error instanceof JsonFault ? new BadRequestException(error.message) : error;
  }
}

/** Anybody may send these bodies, so many of them must fit into the memory. The longest, a sign-up, has some hundred bytes. */
const PUBLIC_LIMIT_BYTES = 16 * 1024;
const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

export interface BodyOptions {
  /** Largest body in bytes of a handler without a limit of its own. That of a public handler is smaller. */
  limitBytes: number;
  /** See `parseJsonBody`. */
  refuseInexactNumbers: boolean;
}

/**
 * Global guard: lets a request pass when its body has arrived within the limits, and sets `request.body`. It runs after the
 * guards of credentials and rates, so that nobody without a credential fills the memory.
 */
export class BodyGuard implements CanActivate {
  private readonly rules: PerRoute<Required<BodyRule>>;

  constructor(
    reflector: Reflector,
    private readonly reader: BodyReader,
    private readonly options: BodyOptions,
  ) {
    this.rules = new PerRoute((context) => {
      const isPublic = reflector.getAllAndOverride<boolean>(PUBLIC, [
        context.getHandler(),
        context.getClass(),
      ]);
      const limitBytes = isPublic ? Math.min(PUBLIC_LIMIT_BYTES, options.limitBytes) : options.limitBytes;
      return { limitBytes, ...bodyRuleOf(context) };
    });
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const { form, limitBytes } = this.rules.of(context);
    if (form !== 'stream' && METHODS_WITH_BODY.has(request.method))
      request.body = await this.read(request, http.getResponse<Response>(), form, limitBytes);
    return true;
  }

  /** An absent body is an empty object, or no bytes. */
  private async read(
    request: Request,
    response: Response,
    form: BodyForm,
    limitBytes: number,
  ): Promise<unknown> {
    if (!hasBody(request)) return form === 'json' ? {} : Buffer.alloc(0);
    if (form !== 'bytes') requireJson(request.headers['content-type']);
    const bytes = await this.reader.read(request, response, limitBytes);
    if (form !== 'json') return bytes;
    return parseJsonBody(bytes, this.options.refuseInexactNumbers, () => requireConnected(response));
  }
}
