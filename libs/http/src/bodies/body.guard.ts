import { type CanActivate, type ExecutionContext } from '@nestjs/common';
import { type Reflector } from '@nestjs/core';
import { type Request, type Response } from 'express';
import { PerRoute } from '../per-route';
import { PUBLIC } from '../public.decorator';
import { type BodyForm, type BodyRule, bodyRuleOf } from './body-as.decorator';
import { type BodyReader, hasBody, requireConnected } from './body-reader';
import { parseJsonBody, requireJson } from './json-body';

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
