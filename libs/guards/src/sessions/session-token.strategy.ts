import { type Site } from '@inference/config';
import { type Request } from 'express';
import { type JWTPayload } from 'jose';
import { Strategy } from 'passport-jwt';
import { type CredentialKind } from '../credentials.decorators';
import {
  type AuthenticateOptions,
  type Done,
  doneFor,
  type PassportRequest,
  uniqueName,
} from '../strategies/credential.strategy';
import { type SessionKeyProvider } from './session-key-provider';

export const SESSION_AUDIENCE = 'inference-platform';
export const SESSION_ALGORITHM = 'ES256';

/** Returns the issuer claim. It contains the site, so that a token of one site is invalid at the other. */
export const sessionIssuer = (site: Site) => `inference-platform/${site}`;

/** Where a strategy reads the token of a request. */
export interface TokenPlace {
  name: string;
  kind: CredentialKind;
  /** Returns null if there is no token. Throws an HttpException if it is not clear which one counts. */
  tokenOf(request: Request): string | null;
}

/** With the set that the key of a verification belongs to. */
type TokenRequest = PassportRequest & { keySet?: number };

type Verify = (request: Request, claims: JWTPayload, done: Done) => void;

/** passport-jwt with the public keys of the console. Verifies the signature of a token once (see VerifiedTokens). */
export class SessionTokenStrategy extends Strategy {
  constructor(
    private readonly place: TokenPlace,
    private readonly keys: SessionKeyProvider,
    site: Site,
    private readonly verify: Verify,
  ) {
    const verifyOnce = ({ request, keySet }: TokenRequest, claims: JWTPayload, done: Done) => {
      const token = place.tokenOf(request);
      if (token) keys.verified.add(token, claims, keySet);
      verify(request, claims, done);
    };
    super(
      {
        jwtFromRequest: ({ request }: PassportRequest) => place.tokenOf(request),
        secretOrKeyProvider: (presented, token: string, done) => {
          keys
            .find(token)
            // passport-jwt takes a KeyObject, but its types do not say so.
            .then((key) => {
              Object.assign(presented, { keySet: keys.verified.keySet });
              if (key) done(null, key as never);
              else done(new Error('unknown key'));
            })
            .catch(done);
        },
        algorithms: [SESSION_ALGORITHM],
        issuer: sessionIssuer(site),
        audience: SESSION_AUDIENCE,
        passReqToCallback: true,
      },
      verifyOnce,
    );
    this.name = uniqueName(place.name);
  }

  override authenticate(presented: unknown, options: AuthenticateOptions): void {
    const { request } = presented as PassportRequest;
    if (!options.accepts.includes(this.place.kind)) return this.fail(401);
    let token: string | null;
    try {
      token = this.place.tokenOf(request);
    } catch (error) {
      return this.error(error as Error);
    }
    // Missing, or an API key: parsing it would cost more than all else that the guard does.
    if (!token?.includes('.')) return this.fail(401);
    const claims = this.keys.verified.get(token);
    if (claims) this.verify(request, claims, doneFor(this));
    else super.authenticate(presented as Request, options);
  }
}
