import { createHash, timingSafeEqual } from 'node:crypto';
import { type CanActivate, type ExecutionContext, UnauthorizedException } from '@nestjs/common';
import { type Reflector } from '@nestjs/core';
import { PUBLIC } from '@inference/http';
import { type Request, type Response } from 'express';

const AUTHORIZATION = /^bearer +(\S+) *$/i;

const digest = (text: string) => createHash('sha256').update(text).digest();

/** With a key configured, every route that is not `@Public()` asks for it as Bearer; without one, all are open. */
export class ApiKeyGuard implements CanActivate {
  private readonly expected: Buffer | undefined;

  constructor(
    private readonly reflector: Reflector,
    apiKey: string | undefined,
  ) {
    this.expected = apiKey === undefined ? undefined : digest(apiKey);
  }

  canActivate(context: ExecutionContext): boolean {
    if (!this.expected) return true;
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC, [context.getHandler(), context.getClass()]))
      return true;
    const http = context.switchToHttp();
    const offered = AUTHORIZATION.exec(http.getRequest<Request>().headers.authorization ?? '')?.[1];
    // Digests have one length and say nothing of the key, so the comparison's time does not either.
    if (offered !== undefined && timingSafeEqual(digest(offered), this.expected)) return true;
    http.getResponse<Response>().setHeader('WWW-Authenticate', 'Bearer');
    throw new UnauthorizedException('missing or invalid API key');
  }
}
