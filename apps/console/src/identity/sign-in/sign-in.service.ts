import { createHash } from 'node:crypto';
import { Database, randomBase62, type Transaction } from '@inference/database';
import { AccountSuspendedException, type SecondFactorProof } from '@inference/guards';
import { Inject, Injectable, UnauthorizedException } from '@nestjs/common';
import { type SignInAccount } from '../../accounts/accounts.repository';
import { type Origin } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { LEGAL_CONFIG, type LegalConfig } from '../../legal.config';
import { RefreshService } from '../refresh/refresh.service';
import { SessionsService } from '../sessions/sessions.service';
import { type ChallengeResponse, type SessionResponse } from './auth.dto';
import { insertChallenge } from './login-challenges.repository';

/** How an account signed in, before any second factor. */
export type FirstFactor = 'password' | `oauth:${string}`;

/** A complete sign-in: what the client is told, and the refresh token, which goes into a cookie only. */
export interface SignedIn extends SessionResponse {
  refreshToken: string;
}

const CHALLENGE_SECONDS = 300;
/** Codes that may be tried per challenge. */
const CHALLENGE_TRIES = 5;
/** Base62 digits: 190 bits, which cannot be guessed. */
const CHALLENGE_DIGITS = 32;

/** Only the hash of an id is stored, because the id replaces the password until the challenge ends. */
export const hashChallengeId = (id: string) => createHash('sha256').update(id).digest();

/** Every way of signing in ends here, with a session or a challenge for the second factor. */
@Injectable()
export class SignInService {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionsService,
    private readonly refreshes: RefreshService,
    @Inject(LEGAL_CONFIG) private readonly legal: LegalConfig,
  ) {}

  /**
   * Continues after the first factor: opens a session, or makes a challenge if the account has a second factor. Throws
   * 401 if the account's credentials have changed since it was read, 403 as `refuseSuspended` does.
   *
   * @param options.hasProviderFactor whether the OpenID provider has asked for a second factor
   */
  async begin(
    account: SignInAccount,
    method: FirstFactor,
    origin: Origin,
    { hasProviderFactor = false } = {},
  ): Promise<SignedIn | ChallengeResponse> {
    await this.refuseSuspended(account, method, origin);
    return this.database.transaction(async (transaction) => {
      if (!account.twoFactor) {
        const how = { method, ...(hasProviderFactor && { second_factor: 'provider' as const }) };
        return this.open(transaction, account, how, origin);
      }
      const id = `chal_${randomBase62(CHALLENGE_DIGITS)}`;
      const challenge = {
        idHash: hashChallengeId(id),
        accountId: account.id,
        credentialsVersion: account.credentialsVersion,
        method,
        attemptsLeft: CHALLENGE_TRIES,
      };
      const expiresAt = await insertChallenge(transaction, challenge, CHALLENGE_SECONDS);
      await recordAuditEvent(transaction, {
        type: 'login.challenged',
        accountId: account.id,
        actorId: null,
        origin,
        details: { method },
      });
      return { challenge: { id, methods: ['totp', 'recovery_code'], expires_at: expiresAt.toISOString() } };
    });
  }

  /** Throws 403 with the text for the owner, who has proved the first factor, and whom to ask, if the account is suspended. */
  async refuseSuspended(
    { id: accountId, suspendedAt, suspensionMessage }: SignInAccount,
    method: string,
    origin: Origin,
  ): Promise<void> {
    if (!suspendedAt) return;
    const details = { method, suspended: true };
    await recordAuditEvent(this.database, {
      type: 'login.failed',
      accountId,
      actorId: null,
      origin,
      details,
    });
    throw new AccountSuspendedException({
      suspended_at: suspendedAt.toISOString(),
      suspension_message: suspensionMessage,
      contact: this.legal.supportUrl ?? null,
    });
  }

  /** Opens the session in the caller's transaction, which has checked all factors. Throws 401 as `begin` does. */
  async open(
    transaction: Transaction,
    account: Pick<SignInAccount, 'id' | 'email' | 'credentialsVersion'>,
    how: { method: string; second_factor?: SecondFactorProof },
    origin: Origin,
  ): Promise<SignedIn> {
    const { id, email, credentialsVersion } = account;
    const session = await this.sessions.open(transaction, id, credentialsVersion, how.second_factor ?? null);
    if (!session) throw new UnauthorizedException('the credentials of the account have just changed');
    const refreshToken = await this.refreshes.issue(transaction, session.id, origin);
    await recordAuditEvent(transaction, {
      type: 'session.opened',
      accountId: id,
      actorId: id,
      origin,
      details: how,
    });
    return { token: session.token, refreshToken, user: { id, email } };
  }
}
