import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  Inject,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { PUBLIC } from '@inference/http';
import { parseCookie } from 'cookie';
import { type Request, type Response } from 'express';
import { mayUseCookie } from './cross-site';
import { ApiKeyDirectory } from './api-keys/api-key-directory';
import { type Caller, type Role } from './caller';
import { ACCEPTS, type CredentialKind, ROLES } from './credentials.decorators';
import { CREDENTIALS_OPTIONS, type CredentialsOptions } from './credentials.options';
import { SessionDirectory } from './sessions/session-directory';
import { SESSION_COOKIE } from './sessions/session-token';

const AUTHORIZATION = /^bearer +(\S+) *$/i;
const API_KEY_PREFIX = 'bfvk-';

/** Global guard: closed unless `@Public()`; a credential of a kind that the route does not take is no credential. */
@Injectable()
export class CredentialsGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly apiKeys: ApiKeyDirectory,
    private readonly sessions: SessionDirectory,
    @Inject(CREDENTIALS_OPTIONS) private readonly options: CredentialsOptions,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC, targets)) return true;
    const kinds =
      this.reflector.getAllAndOverride<CredentialKind[]>(ACCEPTS, targets) ?? this.options.defaultKinds;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const caller = await this.identify(request, kinds);
    if (!caller) {
      http.getResponse<Response>().setHeader('WWW-Authenticate', 'Bearer');
      throw new UnauthorizedException('missing, expired or invalid credential');
    }
    request.caller = caller;
    const roles = this.reflector.getAllAndOverride<Role[]>(ROLES, targets);
    if (roles && !roles.includes(caller.role)) throw new ForbiddenException('this account may not do that');
    return true;
  }

  private async identify(request: Request, kinds: CredentialKind[]): Promise<Caller | null> {
    const { authorization, cookie } = request.headers;
    if (authorization !== undefined) {
      const bearer = AUTHORIZATION.exec(authorization)?.[1];
      if (bearer === undefined) return null;
      if (bearer.startsWith(API_KEY_PREFIX))
        return kinds.includes('api_key') ? this.apiKeys.find(bearer) : null;
      return kinds.includes('session') ? this.sessions.find(bearer) : null;
    }
    if (kinds.includes('session_query') && typeof request.query.token === 'string') {
      return this.sessions.find(request.query.token);
    }
    if (kinds.includes('session_cookie') && cookie !== undefined) {
      const token = parseCookie(cookie)[SESSION_COOKIE];
      if (!token) return null;
      if (!mayUseCookie(request, this.options.CORS_ORIGINS))
        throw new ForbiddenException('the session cookie is not accepted from another site');
      return this.sessions.find(token);
    }
    return null;
  }
}
