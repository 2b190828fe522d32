import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  HttpException,
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
import { OnBehalfDirectory } from './services/on-behalf-directory';
import { OnBehalfException } from './services/on-behalf.exception';
import { ServiceCredentials } from './services/service-credentials';
import { SessionDirectory } from './sessions/session-directory';
import { SESSION_COOKIE } from './sessions/session-token';
import { WorkspaceKeyDirectory } from './workspace-keys/workspace-key-directory';

const AUTHORIZATION = /^(bearer|apikey) +(\S+) *$/i;
const API_KEY_PREFIX = 'bfvk-';
const WORKSPACE_KEY = 'X-API-Key';
const ON_BEHALF_OF = 'X-On-Behalf-Of';
const ON_BEHALF_OF_KEY = 'X-On-Behalf-Of-Key';

/** Whom a credential proved; without a caller one of the platform's own services, which calls for no account. */
interface Identity {
  caller?: Caller;
}

const known = (caller: Caller | null): Identity | null => caller && { caller };

/** Global guard: closed unless `@Public()`; a credential of a kind that the route does not take is no credential. */
@Injectable()
export class CredentialsGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly apiKeys: ApiKeyDirectory,
    private readonly sessions: SessionDirectory,
    private readonly services: ServiceCredentials,
    private readonly onBehalf: OnBehalfDirectory,
    private readonly workspaceKeys: WorkspaceKeyDirectory,
    @Inject(CREDENTIALS_OPTIONS) private readonly options: CredentialsOptions,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC, targets)) return true;
    const kinds =
      this.reflector.getAllAndOverride<CredentialKind[]>(ACCEPTS, targets) ?? this.options.defaultKinds;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    try {
      Object.assign(request, await this.identify(request, kinds));
    } catch (error) {
      if (error instanceof HttpException && error.getStatus() === 401) {
        const schemes = kinds.includes('api_key_scheme') ? 'Bearer, ApiKey' : 'Bearer';
        http.getResponse<Response>().setHeader('WWW-Authenticate', schemes);
      }
      throw error;
    }
    const roles = this.reflector.getAllAndOverride<Role[]>(ROLES, targets);
    if (roles && !(request.caller && roles.includes(request.caller.role)))
      throw new ForbiddenException('this account may not do that');
    return true;
  }

  /** Throws 401 for no credential or a bad one, 400 or 403 for a good one that may not be used like that. */
  private async identify(request: Request, kinds: CredentialKind[]): Promise<Identity> {
    const { authorization } = request.headers;
    const identity =
      authorization === undefined
        ? await this.findByAddition(request, kinds)
        : await this.findByAuthorization(authorization, request, kinds);
    if (!identity) throw new UnauthorizedException('missing, expired or invalid credential');
    // Passed over in silence, it would make somebody else pay than the request says.
    const isCustomer = identity.caller && identity.caller.service === undefined;
    if (isCustomer && kinds.includes('on_behalf') && namesAnother(request))
      throw new OnBehalfException('on_behalf_forbidden');
    return identity;
  }

  private async findByAuthorization(
    authorization: string,
    request: Request,
    kinds: CredentialKind[],
  ): Promise<Identity | null> {
    const [, scheme, secret] = AUTHORIZATION.exec(authorization) ?? [];
    if (scheme === undefined || secret === undefined) return null;
    if (scheme.toLowerCase() !== 'bearer')
      return kinds.includes('api_key_scheme') ? known(await this.apiKeys.find(secret)) : null;
    if (secret.startsWith(API_KEY_PREFIX))
      return kinds.includes('api_key') ? known(await this.apiKeys.find(secret)) : null;
    const service = this.services.find(secret);
    if (service !== null) return this.asService(service, request, kinds);
    return kinds.includes('session') ? known(await this.sessions.find(secret)) : null;
  }

  private async asService(
    service: string,
    request: Request,
    kinds: CredentialKind[],
  ): Promise<Identity | null> {
    const onBehalf = kinds.includes('on_behalf');
    if (kinds.includes('service') && !(onBehalf && namesAnother(request))) return {};
    if (!onBehalf) return null;
    const accountId = request.get(ON_BEHALF_OF);
    if (!accountId) throw new OnBehalfException('on_behalf_missing');
    const caller = await this.onBehalf.find(accountId, request.get(ON_BEHALF_OF_KEY));
    if (!caller) throw new OnBehalfException('on_behalf_unknown');
    return { caller: { ...caller, service } };
  }

  /** By what stands elsewhere in a request: in a header of its own, or what a browser adds, or a link holds. */
  private async findByAddition(request: Request, kinds: CredentialKind[]): Promise<Identity | null> {
    const { cookie } = request.headers;
    const workspaceKey = request.get(WORKSPACE_KEY);
    if (kinds.includes('workspace_key') && workspaceKey !== undefined) {
      return known(await this.workspaceKeys.find(workspaceKey));
    }
    if (kinds.includes('session_query') && typeof request.query.token === 'string') {
      return known(await this.sessions.find(request.query.token));
    }
    if (kinds.includes('session_cookie') && cookie !== undefined) {
      const token = parseCookie(cookie)[SESSION_COOKIE];
      if (!token) return null;
      if (!mayUseCookie(request, this.options.CORS_ORIGINS))
        throw new ForbiddenException('the session cookie is not accepted from another site');
      return known(await this.sessions.find(token));
    }
    return null;
  }
}

const namesAnother = (request: Request): boolean =>
  request.get(ON_BEHALF_OF) !== undefined || request.get(ON_BEHALF_OF_KEY) !== undefined;
