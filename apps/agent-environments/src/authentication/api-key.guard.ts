import { createHash, timingSafeEqual } from 'node:crypto';
import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { PUBLIC } from '@inference/http';
import { type Request, type Response } from 'express';
import { API_KEY_CONFIG, type ApiKeyConfig } from './api-key.config';

const AUTHORIZATION = /^bearer +(\S+) *$/i;

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Every route that is not `@Public()` needs the configured key as Bearer; without a configured key all routes are open. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  private readonly expected: Buffer | undefined;

  constructor(
    private readonly reflector: Reflector,
    @Inject(API_KEY_CONFIG) { apiKey }: ApiKeyConfig,
  ) {
    this.expected = apiKey === undefined ? undefined : digest(apiKey);
  }

  canActivate(context: ExecutionContext): boolean {
    if (!this.expected) return true;
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC, [context.getHandler(), context.getClass()]))
      return true;
    const http = context.switchToHttp();
    const offered = AUTHORIZATION.exec(http.getRequest<Request>().headers.authorization ?? '')?.[1];
    // Digests are of equal length and unrelated to the key, so the comparison leaks nothing through its duration.
    if (offered !== undefined && timingSafeEqual(digest(offered), this.expected)) return true;
    http.getResponse<Response>().setHeader('WWW-Authenticate', 'Bearer');
    throw new UnauthorizedException('missing or invalid API key');
  }
}
