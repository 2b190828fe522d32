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
import { type Request, type Response } from 'express';
import { type Role } from './caller';
import { ACCEPTS, type CredentialKind, ROLES } from './credentials.decorators';
import { CREDENTIALS_OPTIONS, type CredentialsOptions } from './credentials.options';
import {
  type CredentialStrategy,
  type Identity,
  type PresentedCredential,
} from './strategies/credential.strategy';

/** All strategies that the app has registered. */
export const CREDENTIAL_STRATEGIES = Symbol('CREDENTIAL_STRATEGIES');

const AUTHORIZATION = /^(bearer|apikey) +(\S+) *$/i;

/**
 * Global guard: every route that is not `@Public()` needs a credential of a kind that it accepts. Sets `request.caller`.
 * Throws 401 for a missing or invalid credential, 403 for a role that the route does not allow.
 */
@Injectable()
export class CredentialsGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(CREDENTIAL_STRATEGIES) private readonly strategies: CredentialStrategy[],
    @Inject(CREDENTIALS_OPTIONS) private readonly options: CredentialsOptions,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC, targets)) return true;
    const accepted =
      this.reflector.getAllAndOverride<CredentialKind[]>(ACCEPTS, targets) ?? this.options.defaultKinds;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    try {
      Object.assign(request, await this.identify(request, accepted));
    } catch (error) {
      if (error instanceof HttpException && error.getStatus() === 401) {
        const schemes = accepted.includes('api_key_scheme') ? 'Bearer, ApiKey' : 'Bearer';
        http.getResponse<Response>().setHeader('WWW-Authenticate', schemes);
      }
      throw error;
    }
    const roles = this.reflector.getAllAndOverride<Role[]>(ROLES, targets);
    if (roles && !(request.caller && roles.includes(request.caller.role)))
      throw new ForbiddenException('this account does not have the required role');
    return true;
  }

  private async identify(request: Request, accepted: CredentialKind[]): Promise<Identity> {
    const presented = presentedCredential(request);
    const identity = presented && (await this.identifyByStrategies(presented, accepted));
    if (!identity) throw new UnauthorizedException('missing, expired or invalid credential');
    const { caller } = identity;
    if (caller) for (const strategy of this.strategies) strategy.checkCaller?.(caller, request, accepted);
    return identity;
  }

  private async identifyByStrategies(
    presented: PresentedCredential,
    accepted: CredentialKind[],
  ): Promise<Identity | null> {
    for (const strategy of this.strategies) {
      const identity = await strategy.identify(presented, accepted);
      if (identity) return identity;
    }
    return null;
  }
}

/** Null if the `Authorization` header is malformed: then no other credential of the request counts. */
function presentedCredential(request: Request): PresentedCredential | null {
  const { authorization } = request.headers;
  if (authorization === undefined) return { request };
  const [, scheme, secret] = AUTHORIZATION.exec(authorization) ?? [];
  if (scheme === undefined || secret === undefined) return null;
  return {
    request,
    authorization: { scheme: scheme.toLowerCase() === 'bearer' ? 'bearer' : 'apikey', secret },
  };
}
