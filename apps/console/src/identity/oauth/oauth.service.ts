import { CLOCK_LIMIT_MILLIS, Database, readClockDifferenceMillis } from '@inference/database';
import { AccountSuspendedException } from '@inference/guards';
import { BadRequestException, Inject, Injectable } from '@nestjs/common';
import { insertAccount, readForSignIn, type SignInAccount } from '../../accounts/accounts.repository';
import { type Actor, type Origin } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { proveAddressByIdentity } from '../../accounts/credentials.repository';
import { StartCredit } from '../start-credit';
import { SITE_LANGUAGE } from '../../accounts/languages';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { insertIdentity, lockIdentity } from '../identities/identities.repository';
import { IdentitiesService, type LinkRequest } from '../identities/identities.service';
import { type OAuthProvider, SIGN_UP_CONFIG, type SignUpConfig } from '../identity.config';
import {
  isOutOfTime,
  OAuthProviderGateway,
  type ProviderEmail,
  type ProviderIdentity,
} from '../oauth-provider.gateway';
import { OAuthException } from '../oauth.exception';
import { ReauthenticationService } from '../passwords/reauthentication.service';
import { lockBeforeProof, revokeUnprovenAccess } from '../revoke-unproven-access';
import { endOtherSessions } from '../sessions/sessions.repository';
import { wrongClock } from '../wrong-clock';
import { type ChallengeResponse } from '../sign-in/auth.dto';
import { type SignedIn, SignInService } from '../sign-in/sign-in.service';
import { ProviderRolesService } from '../staff/provider-roles.service';
import { type Flow, OAuthFlowsService } from './oauth-flows.service';
import { SealedTokens } from '../sealed-tokens';
import {
  type LinkedIdentityResponse,
  type LinkIdentityDto,
  type SuspensionNoticeResponse,
} from './oauth.dto';

/** Purpose and subject of the sealed notices. */
const NOTICE = 'suspension notice';
/** Chosen: a person reads the page to which the provider leads. */
const NOTICE_SECONDS = 600;

/** A flow whose user has to be sent to the provider. */
export interface StartedFlow {
  authorizationUrl: string;
  /** State of the flow, for the cookie. */
  sealed: string;
}

export interface CompletedFlow {
  outcome: SignedIn | ChallengeResponse | LinkedIdentityResponse;
  returnTo: string | null;
}

/** Sign-in through OpenID providers. No transaction is open while a provider is called. */
@Injectable()
export class OAuthService {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    @Inject(SIGN_UP_CONFIG) private readonly signUp: SignUpConfig,
    private readonly providers: OAuthProviderGateway,
    private readonly flows: OAuthFlowsService,
    private readonly identities: IdentitiesService,
    private readonly reauthentication: ReauthenticationService,
    private readonly signIn: SignInService,
    private readonly startCredit: StartCredit,
    private readonly sealed: SealedTokens,
    private readonly providerRoles: ProviderRolesService,
  ) {}

  begin(name: string, returnTo: string | null): Promise<StartedFlow> {
    return this.beginFlow(this.providers.find(name), returnTo, null);
  }

  /** Asks for the password: a stolen session must not link an identity, which would outlive it. */
  async beginLink(
    name: string,
    { password, return_to: returnTo }: LinkIdentityDto,
    actor: Actor,
  ): Promise<StartedFlow> {
    const provider = this.providers.find(name);
    const { accountId, sessionId } = actor;
    const { credentialsVersion } = await this.reauthentication.confirm(actor, 'password', password);
    return this.beginFlow(provider, returnTo ?? null, { accountId, sessionId, credentialsVersion });
  }

  private async beginFlow(
    provider: OAuthProvider,
    returnTo: string | null,
    link: LinkRequest | null,
  ): Promise<StartedFlow> {
    const { checks, sealed } = await this.flows.begin(provider.name, returnTo, link);
    return { authorizationUrl: await this.providers.authorizationUrl(provider, checks), sealed };
  }

  /** Returns the flow that the browser has begun with the provider; null if it has expired, is forged or absent. */
  async openFlow(name: string, sealed: string | undefined): Promise<Flow | null> {
    return sealed === undefined ? null : this.flows.open(name, sealed);
  }

  /** Marks the flow as used before it calls the provider, so that only one of several callbacks of a flow continues. */
  async finish(
    name: string,
    flow: Flow | null,
    query: URLSearchParams,
    origin: Origin,
  ): Promise<CompletedFlow> {
    const provider = this.providers.find(name);
    const states = query.getAll('state');
    const isAnswer = query.has('code') || query.has('error');
    if (!flow || states.length !== 1 || states[0] !== flow.state || !isAnswer)
      throw new OAuthException('flow_invalid');
    if (!(await this.flows.markUsed(flow))) throw new OAuthException('sign_in_refused');
    const identity = await this.identify(provider, query, flow);
    const { link, returnTo } = flow;
    if (link)
      return { outcome: { identity: await this.identities.link(name, identity, link, origin) }, returnTo };
    const account = (await this.accountOf(identity)) ?? (await this.newAccount(name, identity, origin));
    const proven = await this.withProvenAddress(identity, account, origin);
    await this.providerRoles.apply(provider, proven.id, await identity.readGroups(), origin);
    const { hasSecondFactor: hasProviderFactor } = identity;
    const outcome = await this.signIn.begin(proven, `oauth:${name}`, origin, { hasProviderFactor });
    return { outcome, returnTo };
  }

  /** Throws 503 if only the clock of this host can be why the times of the provider's answer are wrong. */
  private async identify(
    provider: OAuthProvider,
    query: URLSearchParams,
    flow: Flow,
  ): Promise<ProviderIdentity> {
    try {
      return await this.providers.identify(provider, query, flow);
    } catch (error) {
      if (!isOutOfTime(error)) throw error;
      const aheadMillis = await readClockDifferenceMillis(this.database);
      throw Math.abs(aheadMillis) > CLOCK_LIMIT_MILLIS ? wrongClock(aheadMillis) : error;
    }
  }

  /**
   * What a browser may show of the refusal of a suspended account: sealed, because anybody can write a fragment. Null for another error.
   */
  async sealNotice(error: unknown): Promise<string | null> {
    if (!(error instanceof AccountSuspendedException)) return null;
    const { code: _code, ...facts } = error.details;
    return this.sealed.seal(NOTICE, NOTICE, facts, NOTICE_SECONDS);
  }

  /** Throws 400 for a notice that is forged or too old. */
  async openNotice(text: string): Promise<SuspensionNoticeResponse> {
    const claims = await this.sealed.open(NOTICE, NOTICE, text);
    if (!claims) throw new BadRequestException('notice: is not valid or too old; sign in again');
    const { suspended_at, suspension_message, contact } = claims as SuspensionNoticeResponse;
    return { suspended_at: suspended_at!, suspension_message: suspension_message!, contact: contact! };
  }

  /**
   * If the provider vouches for the address of an account that nobody has confirmed, this sign-in confirms it. It does not show that
   * its user knows the password, so all that was made before is revoked, and the password with it.
   */
  private async withProvenAddress(
    identity: ProviderIdentity,
    account: SignInAccount,
    origin: Origin,
  ): Promise<SignInAccount> {
    if (account.emailVerifiedAt !== null) return account;
    const address = await identity.readEmail();
    if (!address?.verified || address.email !== account.email) return account;
    const { id: accountId, credentialsVersion } = account;
    return this.database.transaction(async (transaction) => {
      await lockBeforeProof(transaction, accountId);
      const proved = await proveAddressByIdentity(transaction, accountId, credentialsVersion);
      if (!proved) return account;
      await this.startCredit.give(transaction, accountId);
      await endOtherSessions(transaction, accountId, null);
      const { issuer, subject } = identity;
      const byIdentity = { issuer, subject, passwords: proved.hadPassword ? 1 : 0 };
      await revokeUnprovenAccess(transaction, { accountId, provedAt: null, origin, byIdentity });
      await recordAuditEvent(transaction, { type: 'email.verified', accountId, actorId: accountId, origin });
      return (await readForSignIn(transaction, accountId)) ?? account;
    });
  }

  /** If the identity is unlinked after this, the sign-in fails, because the credentials version has changed. */
  private accountOf(identity: ProviderIdentity): Promise<SignInAccount | null> {
    return this.database.transaction(async (transaction) => {
      const found = await lockIdentity(transaction, identity);
      return found && readForSignIn(transaction, found.accountId);
    });
  }

  /**
   * Makes an account. It never uses an existing one: an address at a provider does not prove who owns an account here.
   */
  private async newAccount(
    provider: string,
    identity: ProviderIdentity,
    origin: Origin,
  ): Promise<SignInAccount> {
    if (!this.signUp.isOpen) throw new OAuthException('signup_closed');
    const address = await identity.readEmail();
    if (!address?.verified) throw new OAuthException('email_not_verified');
    const failure = await this.insert(provider, identity, address, origin).catch((error: unknown) => {
      if (error instanceof OAuthException) return error;
      throw error;
    });
    // A concurrent first sign-in of the same person may have made the account.
    const account = await this.accountOf(identity);
    if (!account) throw failure ?? new OAuthException('sign_in_refused');
    return account;
  }

  private insert(
    provider: string,
    identity: ProviderIdentity,
    { email }: ProviderEmail,
    origin: Origin,
  ): Promise<void> {
    const { site, currency } = this.site;
    const language = SITE_LANGUAGE[site];
    const account = { email, emailVerified: true, passwordHash: null, role: 'user', language } as const;
    const details = { provider, issuer: identity.issuer };
    return this.database.transaction(async (transaction) => {
      const accountId = await insertAccount(transaction, account, currency);
      if (accountId === null) throw new OAuthException('email_taken');
      if (!(await insertIdentity(transaction, identity, accountId, email)))
        throw new OAuthException('identity_taken');
      const event = { accountId, actorId: accountId, origin, details };
      await recordAuditEvent(transaction, { ...event, type: 'account.created' });
      await recordAuditEvent(transaction, { ...event, type: 'identity.linked' });
      await this.startCredit.give(transaction, accountId);
    });
  }
}
