import { DetailedException } from '@inference/http';
import {
  type ExecutionContext,
  ForbiddenException,
  HttpException,
  Inject,
  Injectable,
  Optional,
  UnauthorizedException,
} from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { type Request, type Response } from 'express';
import { type CredentialKind } from './credentials.decorators';
import { CREDENTIALS_OPTIONS, type GuardOptions } from './credentials.options';
import { RouteAccessReader } from './route-access';
import { AccountViews } from './staff/account-views';
import { type Role } from './staff/staff-table';
import {
  type AuthenticateOptions,
  describeCredential,
  type Identity,
  type KindDescription,
  type PassportRequest,
  readAuthorization,
  type RegisteredStrategy,
  wrongKindMessage,
} from './credential.strategy';

/** `code` of every answer to a suspended account. Part of the API. */
export const ACCOUNT_SUSPENDED = 'account_suspended' as const;

/** Names no reason: whoever has a credential only does not learn it. */
export const ACCOUNT_SUSPENDED_MESSAGE = 'this account is suspended; sign in to the console to read why';

/** 403: staff has suspended the account. */
export class AccountSuspendedException extends DetailedException {
  /** @param facts for an owner who has proved the password: further members of the body */
  constructor(facts: Record<string, unknown> = {}) {
    super(403, ACCOUNT_SUSPENDED_MESSAGE, { code: ACCOUNT_SUSPENDED, ...facts });
  }
}

/** All strategies that the app has registered. */
export const CREDENTIAL_STRATEGIES = Symbol('CREDENTIAL_STRATEGIES');

/**
 * Global guard: every route that is not `@Public()` needs a credential of a kind that it accepts. Passport tries the strategies
 * of the app in their order. Sets `request.caller`.
 * Throws 401 for a missing or invalid credential, 403 for a suspended account, a role that the route does not allow, or what a view of staff
 * does not open (see AccountViews), 503 if the credential cannot be checked.
 */
@Injectable()
export class CredentialsGuard extends AuthGuard() {
  private readonly kinds: Partial<Record<CredentialKind, KindDescription>>;

  constructor(
    private readonly routes: RouteAccessReader,
    @Inject(CREDENTIAL_STRATEGIES) private readonly strategies: RegisteredStrategy[],
    @Inject(CREDENTIALS_OPTIONS) private readonly credentials: GuardOptions,
    @Optional() private readonly views?: AccountViews,
  ) {
    super({ defaultStrategy: strategies.map(({ name }) => name), session: false });
    this.kinds = Object.assign({}, ...credentials.strategies.map(({ kinds }) => kinds)) as typeof this.kinds;
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const { isPublic, readsCredential = false, ...access } = this.routes.of(context);
    const request = context.switchToHttp().getRequest<Request>();
    const isView = this.views !== undefined && AccountViews.idIn(request) !== undefined;
    if (isPublic) {
      // What a page does that shows a customer to staff must change nothing, even where no credential is needed.
      if (isView) AccountViews.requireReading(request);
      else if (readsCredential) await this.readIfValid(context);
      return true;
    }
    try {
      await super.canActivate(context);
    } catch (error) {
      if (error instanceof HttpException && error.getStatus() === 401) this.challenge(context);
      throw error;
    }
    if (isView && request.caller)
      request.caller = await this.views!.customerOf(request.caller, request, access.isOpenInView);
    const { caller } = request;
    if (caller?.lacksSecondFactor && !access.isSecondFactorSetup)
      throw new ForbiddenException(
        'staff must have a second factor: set one up with POST /api/auth/2fa/setup, or sign in with it',
      );
    const roles: readonly Role[] | undefined = access.roles;
    if (roles && !(caller && roles.includes(caller.role)))
      throw new ForbiddenException('this account does not have the required role');
    return true;
  }

  /** Throws 503 if the credential cannot be checked. */
  private async readIfValid(context: ExecutionContext): Promise<void> {
    try {
      await super.canActivate(context);
    } catch (error) {
      // A key that is bound to other addresses is no caller here, either.
      const status = error instanceof HttpException ? error.getStatus() : 500;
      if (status !== 401 && status !== 403) throw error;
    }
  }

  override getRequest(context: ExecutionContext): PassportRequest {
    return { request: context.switchToHttp().getRequest<Request>() };
  }

  override getAuthenticateOptions(context: ExecutionContext): AuthenticateOptions {
    const request = context.switchToHttp().getRequest<Request>();
    const authorization = readAuthorization(request.headers.authorization);
    // No other credential of the request counts.
    if (authorization === null) throw invalidCredential();
    return { accepts: this.acceptedKinds(context), authorization };
  }

  /**
   * Ends passport's authentication. `reasons` are those of the strategies that failed. passport-jwt also fails if the key of a
   * token cannot be fetched: such a reason is an HttpException (503), and is thrown instead of 401.
   */
  override handleRequest<TUser = Identity>(
    error: unknown,
    identity: Identity | false | undefined,
    reasons: unknown,
    context: ExecutionContext,
  ): TUser {
    const fault = error ?? [reasons].flat().find((reason) => reason instanceof HttpException);
    if (fault) throw fault;
    const request = context.switchToHttp().getRequest<Request>();
    const accepts = this.acceptedKinds(context);
    if (!identity) throw this.refusal(request, accepts);
    const { caller } = identity;
    if (caller?.isSuspended) {
      // The log of refused calls names their account.
      if (!this.routes.of(context).isPublic) request.caller = caller;
      throw new AccountSuspendedException();
    }
    if (caller) for (const strategy of this.strategies) strategy.checkCaller?.(caller, request, accepts);
    if (caller) request.caller = caller;
    return identity as TUser;
  }

  private acceptedKinds(context: ExecutionContext): CredentialKind[] {
    return this.routes.of(context).accepts ?? this.credentials.defaultKinds;
  }

  /** Names the accepted kinds to a client that sent another one. */
  private refusal(request: Request, accepts: CredentialKind[]): UnauthorizedException {
    const wanted = accepts.flatMap((kind) => this.kinds[kind] ?? []);
    const authorization = readAuthorization(request.headers.authorization) ?? undefined;
    const sent = describeCredential(request, authorization);
    const message = sent && wrongKindMessage(wanted, sent);
    return message === undefined ? invalidCredential() : new UnauthorizedException(message);
  }

  private challenge(context: ExecutionContext): void {
    const schemes = this.acceptedKinds(context).includes('api_key_scheme') ? 'Bearer, ApiKey' : 'Bearer';
    context.switchToHttp().getResponse<Response>().setHeader('WWW-Authenticate', schemes);
  }
}

const invalidCredential = () => new UnauthorizedException('missing, expired or invalid credential');
