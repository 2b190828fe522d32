import { type Provider, type Type } from '@nestjs/common';
import { type Request } from 'express';
import { type Caller } from '../caller';
import { type CredentialKind } from '../credentials.decorators';

/** A request and the credential of its `Authorization` header, if it has one. */
export interface PresentedCredential {
  request: Request;
  authorization?: { scheme: 'bearer' | 'apikey'; secret: string };
}

/** The holder of a credential. Without a caller: one of the platform's own services, which acts for no account. */
export interface Identity {
  caller?: Caller;
}

/** Recognises some kinds of credentials. Each app registers the strategies of the kinds that it accepts. */
export interface CredentialStrategy {
  /**
   * Returns the holder of the credential, or null if the request has no valid credential of an accepted kind that this
   * strategy knows. May throw an HttpException if a valid credential is used wrongly.
   * @param accepted the kinds that the route accepts
   */
  identify(
    presented: PresentedCredential,
    accepted: readonly CredentialKind[],
  ): Promise<Identity | null> | Identity | null;

  /** Throws if the caller may not send this request. Runs for callers that any strategy has identified. */
  checkCaller?(caller: Caller, request: Request, accepted: readonly CredentialKind[]): void;
}

/** A strategy and the providers that only it needs. */
export interface CredentialRegistration {
  strategy: Type<CredentialStrategy>;
  providers?: Provider[];
}

/** The identity of a caller; null for no caller. */
export const identityOf = (caller: Caller | null): Identity | null => caller && { caller };
