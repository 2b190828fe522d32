import { createHash, createPrivateKey, generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto';
import { decodeJwt, SignJWT } from 'jose';
import { type Provider } from 'oidc-provider';
import { type InjectedFaults } from './injected-faults';
import { type SandboxOidcConfig } from './config';

const SUBJECT_DIGITS = 24;

interface Account {
  email: string;
  verified: boolean;
}

/** The accounts that have signed in, each with the data of its last sign-in. */
export class Accounts {
  private readonly bySubject = new Map<string, Account>();

  /** Returns the subject, which is the same for the same address, in every run. */
  add(person: Account): string {
    const subject = createHash('sha256').update(person.email).digest('hex').slice(0, SUBJECT_DIGITS);
    this.bySubject.set(subject, person);
    return subject;
  }

  find(subject: string): Account | undefined {
    return this.bySubject.get(subject);
  }
}

const ALGORITHM = 'RS256';
const KID = 'sandbox';

type SigningKey = JsonWebKey & { kid: string; alg: string; use: string };

function newSigningKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid: KID, alg: ALGORITHM, use: 'sig' };
}

/** Replaces claims; null removes a claim. */
function replaceClaims(claims: object, others: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...claims, ...others }).filter(([, value]) => value !== null));
}

/** Applies the injected faults to an id token. */
async function falsifyIdToken(idToken: string, key: SigningKey, faults: InjectedFaults): Promise<string> {
  return new SignJWT(replaceClaims(decodeJwt(idToken), faults.id_token))
    .setProtectedHeader({ alg: ALGORITHM, kid: KID, typ: 'JWT' })
    .sign(createPrivateKey({ key: faults.foreign_key ? newSigningKey() : key, format: 'jwk' }));
}

const DEFAULT_METHOD = 'client_secret_basic';
const LIFE_SECONDS = { code: 60, token: 600, interaction: 600, session: 3_600 };

/** The provider itself: code flow with PKCE only, everything in memory. */
export async function createProvider(
  issuer: string,
  { clients, claimsIn }: SandboxOidcConfig,
  people: Accounts,
  injectedFaults: () => InjectedFaults,
): Promise<Provider> {
  const { Provider } = await import('oidc-provider');
  const key = newSigningKey();
  const provider = new Provider(issuer, {
    clients: clients.map((client) => ({
      ...client,
      grant_types: ['authorization_code'],
      response_types: ['code'],
    })),
    jwks: { keys: [key] as never },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: claimsIn === 'userinfo',
    responseTypes: ['code'],
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, subject) => {
      const person = people.find(subject);
      if (!person) return undefined;
      const claims = { sub: subject, email: person.email, email_verified: person.verified };
      return { accountId: subject, claims: () => claims };
    },
    ttl: {
      AuthorizationCode: LIFE_SECONDS.code,
      AccessToken: LIFE_SECONDS.token,
      IdToken: LIFE_SECONDS.token,
      Interaction: LIFE_SECONDS.interaction,
      Session: LIFE_SECONDS.session,
      Grant: LIFE_SECONDS.session,
    },
  });
  const methods = new Set(clients.map((client) => client.token_endpoint_auth_method ?? DEFAULT_METHOD));
  provider.use(async (context, next) => {
    const method = context.get('Authorization') ? 'client_secret_basic' : 'client_secret_post';
    // The library accepts a secret in the header and in the body; other providers accept only the registered way.
    if (context.path === '/token' && !methods.has(method)) {
      context.status = 401;
      context.body = { error: 'invalid_client' };
      return;
    }
    await next();
    const body = context.body as { id_token?: string } | undefined;
    if (context.path === '/token' && body?.id_token)
      body.id_token = await falsifyIdToken(body.id_token, key, injectedFaults());
    if (context.path === '/me' && body) context.body = replaceClaims(body, injectedFaults().userinfo);
  });
  return provider;
}
