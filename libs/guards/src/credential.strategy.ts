import { type Provider, type Type } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { type Request } from 'express';
import passport from 'passport';
import { type Caller } from './caller';
import { type CredentialKind } from './credentials.decorators';

/** The content of a well-formed header `Authorization`. */
export interface Authorization {
  scheme: 'bearer' | 'apikey';
  secret: string;
}

const AUTHORIZATION = /^(bearer|apikey) +(\S+) *$/i;

/** Reads the header `Authorization`: undefined if there is none, null if it is malformed or has another scheme. */
export function readAuthorization(header: string | undefined): Authorization | null | undefined {
  if (header === undefined) return undefined;
  const [, scheme, secret] = AUTHORIZATION.exec(header) ?? [];
  if (scheme === undefined || secret === undefined) return null;
  return { scheme: scheme.toLowerCase() === 'bearer' ? 'bearer' : 'apikey', secret };
}

/** How a client sends a kind of credential, such as "an API key" in "Authorization: Bearer". */
export interface KindDescription {
  credential: string;
  place: string;
}

const FORMS: [RegExp, string][] = [
  [/^bfvk-/, 'an API key'],
  [/^bfvm-/, 'a management key'],
  [/^sk_/, 'a workspace key'],
  [/^[\w-]+\.[\w-]+\.[\w-]+$/, 'a session token'],
];

/**
 * Describes the credential in the headers of a request. Looks at its form only, so that an answer does not tell whether the
 * credential is valid. Returns undefined for no credential and for an unknown form.
 */
export function describeCredential(
  request: Request,
  authorization?: Authorization,
): KindDescription | undefined {
  const secret = authorization?.secret ?? request.get('X-API-Key') ?? '';
  const credential = FORMS.find(([pattern]) => pattern.test(secret))?.[1];
  return credential === undefined ? undefined : { credential, place: placeOf(authorization) };
}

function placeOf(authorization: Authorization | undefined): string {
  if (!authorization) return 'X-API-Key';
  return authorization.scheme === 'bearer' ? 'Authorization: Bearer' : 'Authorization: ApiKey';
}

/**
 * Names the accepted kinds to a client that sent another one. Returns undefined if the sent one is among them: then the
 * credential is not of the wrong kind but invalid.
 */
export function wrongKindMessage(accepted: KindDescription[], sent: KindDescription): string | undefined {
  const sameCredential = accepted.filter(({ credential }) => credential === sent.credential);
  if (accepted.length === 0 || sameCredential.some(({ place }) => place === sent.place)) return undefined;
  const places: Record<string, string[]> = {};
  for (const { credential, place } of accepted) (places[credential] ??= []).push(place);
  const wanted = Object.entries(places).map(([credential, list]) => `${credential} (${list.join(' or ')})`);
  const other = sameCredential.length > 0 ? `${sent.credential} (${sent.place})` : sent.credential;
  return `this route accepts ${wanted.join(' or ')}, not ${other}`;
}

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
