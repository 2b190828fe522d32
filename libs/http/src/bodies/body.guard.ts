import { type CanActivate, type ExecutionContext } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { type BodyForm, bodyRuleOf } from './body-as.decorator';
import { type BodyReader, hasBody } from './body-reader';
import { parseJsonBody, requireJson } from './json-body';

const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

export interface BodyOptions {
  /** Largest body in bytes of a handler without a limit of its own. */
  limitBytes: number;
  /** See `parseJsonBody`. */
  refuseInexactNumbers: boolean;
}

/**
 * The last global guard: lets a request pass when its body has arrived within the limits, and sets `request.body`. It runs after
 * the guards of credentials and rates, so that nobody without a credential fills the memory.
 */
export class BodyGuard implements CanActivate {
  constructor(
    private readonly reader: BodyReader,
    private readonly options: BodyOptions,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const { form, limitBytes = this.options.limitBytes } = bodyRuleOf(context);
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
    return form === 'json' ? parseJsonBody(bytes, this.options.refuseInexactNumbers) : bytes;
  }
}
