import { Inject, Injectable } from '@nestjs/common';
import { CURRENCY_BY_SITE } from '@inference/config';
import { inTransaction, SQL_POOL, type SqlPool } from '@inference/database';
import { insertAccount, readForSignIn, type SignInAccount, SITE_LANGUAGE } from '../auth/accounts';
import { type ChallengeView, type SessionView } from '../auth/auth.dto';
import { PasswordCheck } from '../auth/password-check';
import { SignInService } from '../auth/sign-in.service';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type OAuthProvider } from '../config.oauth';
import { type Actor } from '../events/actor';
import { type Origin } from '../events/request-origin';
import { recordEvent } from '../events/security-events';
import { type ProvenEmail } from './claims';
import { type Link, OAuthFlows } from './flows';
import { findIdentity, insertIdentity } from './identities';
import { IdentitiesService } from './identities.service';
import { type IdentityView, type LinkStart } from './oauth.dto';
import { OAuthFailure } from './oauth.failures';
import { OAuthProviders, type ProvenIdentity } from './providers';

export interface Begun {
  authorizationUrl: string;
  /** For the cookie of the browser that begins. */
  sealed: string;
}

export interface Finished {
  view: SessionView | ChallengeView | { identity: IdentityView };
  returnTo: string | null;
}

/** Signs in by what an OpenID provider proves. No transaction is open while a provider is asked. */
@Injectable()
export class OAuthService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
    private readonly providers: OAuthProviders,
    private readonly flows: OAuthFlows,
    private readonly identities: IdentitiesService,
    private readonly passwordCheck: PasswordCheck,
    private readonly signIn: SignInService,
  ) {}

  begin(name: string, returnTo: string | null): Promise<Begun> {
    return this.beginFlow(this.providers.find(name), returnTo, null);
  }

  /** A linked identity outlives the session that links it, so that a stolen one must not do. */
  async beginLink(
    name: string,
    { password, return_to: returnTo }: NonNullable<LinkStart>,
    actor: Actor,
  ): Promise<Begun> {
    const provider = this.providers.find(name);
    const { accountId, sessionId } = actor;
    const { credentialsVersion } = await this.passwordCheck.confirm(actor, 'password', password);
    return this.beginFlow(provider, returnTo ?? null, { accountId, sessionId, credentialsVersion });
  }

  private async beginFlow(
    provider: OAuthProvider,
    returnTo: string | null,
    link: Link | null,
  ): Promise<Begun> {
    const { checks, sealed } = await this.flows.begin(provider.name, returnTo, link);
    return { authorizationUrl: await this.providers.authorizationUrl(provider, checks), sealed };
  }

  /** The flow is spent before the provider is asked: of many callbacks of one flow a single one gets anywhere. */
  async finish(
    name: string,
    sealed: string | undefined,
    query: URLSearchParams,
    origin: Origin,
  ): Promise<Finished> {
    const provider = this.providers.find(name);
    const flow = sealed === undefined ? null : await this.flows.open(name, sealed);
    const states = query.getAll('state');
    const isAnswer = query.has('code') || query.has('error');
    if (!flow || states.length !== 1 || states[0] !== flow.state || !isAnswer)
      throw new OAuthFailure('flow_invalid');
    if (!(await this.flows.spend(flow))) throw new OAuthFailure('sign_in_refused');
    const identity = await this.providers.identify(provider, query, flow);
    const { link, returnTo } = flow;
    if (link)
      return { view: { identity: await this.identities.link(name, identity, link, origin) }, returnTo };
    const account = (await this.accountOf(identity)) ?? (await this.newAccount(name, identity, origin));
    return { view: await this.signIn.begin(account, `oauth:${name}`, origin), returnTo };
  }

  /** An identity unlinked from now on makes this account's version too old to sign in with. */
  private accountOf(identity: ProvenIdentity): Promise<SignInAccount | null> {
    return inTransaction(this.pool, async (client) => {
      const found = await findIdentity(client, identity);
      return found && readForSignIn(client, found.accountId);
    });
  }

  /** Never an account that is there already: who owns an address there has not shown to own the account here. */
  private async newAccount(
    provider: string,
    identity: ProvenIdentity,
    origin: Origin,
  ): Promise<SignInAccount> {
    if (this.config.SIGNUP === 'closed') throw new OAuthFailure('signup_closed');
    const said = await identity.readEmail();
    if (!said?.verified) throw new OAuthFailure('email_not_verified');
    const failure = await this.insert(provider, identity, said, origin).catch((error: unknown) => {
      if (error instanceof OAuthFailure) return error;
      throw error;
    });
    // When the same person comes twice at once, the other one may have been first.
    const account = await this.accountOf(identity);
    if (!account) throw failure ?? new OAuthFailure('sign_in_refused');
    return account;
  }

  private insert(
    provider: string,
    identity: ProvenIdentity,
    { email }: ProvenEmail,
    origin: Origin,
  ): Promise<void> {
    const { SITE } = this.config;
    const language = SITE_LANGUAGE[SITE];
    const account = { email, emailVerified: true, passwordHash: null, role: 'user', language } as const;
    const details = { provider, issuer: identity.issuer };
    return inTransaction(this.pool, async (client) => {
      const accountId = await insertAccount(client, account, CURRENCY_BY_SITE[SITE]);
      if (accountId === null) throw new OAuthFailure('email_taken');
      if (!(await insertIdentity(client, identity, accountId, email)))
        throw new OAuthFailure('identity_taken');
      const event = { accountId, actorId: accountId, origin, details };
      await recordEvent(client, { ...event, type: 'account.created' });
      await recordEvent(client, { ...event, type: 'identity.linked' });
    });
  }
}
