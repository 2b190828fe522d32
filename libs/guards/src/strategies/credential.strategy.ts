import { type Provider, type Type } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { type Request } from 'express';
import passport from 'passport';
import { type Caller } from '../caller';
import { type CredentialKind } from '../credentials.decorators';
import { type Authorization } from './authorization';
import { type KindDescription } from './wrong-kind';

/** The holder of a credential. Without a caller: one of the platform's own services, which acts for no account. */
export interface Identity {
  caller?: Caller;
}

/** The identity of a caller; null for no caller. */
export const identityOf = (caller: Caller | null): Identity | null => caller && { caller };

/**
 * What passport takes for the request. Passport adds eight properties to it, which takes about 50 µs of each request, with the
 * garbage collection, if it is Express's own object.
 */
export interface PassportRequest {
  request: Request;
}

/** What the guard tells each strategy about a request (passport's options of `authenticate`). */
export interface AuthenticateOptions {
  /** The kinds of credentials that the route accepts. */
  accepts: readonly CredentialKind[];
  /** Undefined if the request has no header `Authorization`. */
  authorization: Authorization | undefined;
}

/** A strategy as the guard knows it. */
export interface RegisteredStrategy {
  /** The name under which passport knows the strategy (see uniqueName). */
  name: string;
  /** Throws if the caller may not send this request. Runs for callers that any strategy has identified. */
  checkCaller?(caller: Caller, request: Request, accepts: readonly CredentialKind[]): void;
}

/** Strategies and the providers that only they need. */
export interface CredentialRegistration {
  /** Tells clients how to send the kinds that the strategies recognise. A kind that is absent is not offered to clients. */
  kinds: Partial<Record<CredentialKind, KindDescription>>;
  strategies: Type<RegisteredStrategy>[];
  providers?: Provider[];
}

let strategyCount = 0;

/**
 * Adds a number to the name of a strategy. Passport has one register of strategies for the whole process, in which a second app
 * in the same process would replace the strategies of the first one.
 */
export const uniqueName = (name: string): string => `${name}#${++strategyCount}`;

/** Ends the authentication of a request: with the error, with the identity, or without result (the next strategy is tried). */
export type Done = (error: unknown, identity?: Identity | null) => void;

interface Actions {
  success(identity: Identity): void;
  fail(status: number): void;
  error(error: unknown): void;
}

/** Translates a result to the action of a passport strategy. */
export const doneFor =
  (strategy: Actions): Done =>
  (error, identity) => {
    if (error) strategy.error(error);
    else if (identity) strategy.success(identity);
    else strategy.fail(401);
  };

type Verify = (request: Request, options: AuthenticateOptions, done: Done) => void;

class RequestStrategy extends passport.Strategy {
  override readonly name: string;

  constructor(
    name: string,
    private readonly verify: Verify,
  ) {
    super();
    this.name = uniqueName(name);
  }

  override authenticate(presented: unknown, options: AuthenticateOptions): void {
    const { request } = presented as PassportRequest;
    this.verify(request, options, doneFor(this));
  }
}

/** Base of the strategies for credentials that are not JWTs. */
export abstract class CredentialStrategy extends PassportStrategy(RequestStrategy) {
  /**
   * Returns the holder of the credential, or null if the request has no valid credential of an accepted kind that this
   * strategy knows. May throw an HttpException if a valid credential is used wrongly.
   */
  abstract override validate(request: Request, options: AuthenticateOptions): Promise<Identity | null>;
}
