import {
  BadRequestException,
  ConflictException,
  ForbiddenException,
  Inject,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';
import { CURRENCY_BY_SITE } from '@inference/config';
import { inTransaction, SQL_POOL, type SqlPool } from '@inference/database';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type Actor } from '../events/actor';
import { type Origin } from '../events/request-origin';
import { recordEvent } from '../events/security-events';
import { GuessDesk } from '../guesses/guess-desk';
import { queueMail } from '../mail/outbox';
import { findForLogin, insertAccount, type Language, readAccount, SITE_LANGUAGE } from './accounts';
import {
  type ChallengeView,
  type Login,
  type Registration,
  type SessionView,
  type UserView,
} from './auth.dto';
import { normaliseIdentifier, normalisePhone } from './identifier';
import { hashPassword, PasswordHasher } from './password-hasher';
import { SessionsService } from './sessions.service';
import { SignInService } from './sign-in.service';

@Injectable()
export class AuthService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
    private readonly passwords: PasswordHasher,
    private readonly guesses: GuessDesk,
    private readonly signIn: SignInService,
    private readonly sessions: SessionsService,
  ) {}

  /** Makes an account with an empty wallet and signs it in. */
  async register(
    { email, password, phone, username }: Registration,
    wantedLanguage: Language | undefined,
    origin: Origin,
  ): Promise<SessionView> {
    const { SIGNUP, SITE } = this.config;
    if (SIGNUP === 'closed') throw new ForbiddenException('this site takes no new accounts');
    const number = phone === undefined ? null : normalisePhone(phone, SITE);
    if (phone !== undefined && number === null) {
      throw new BadRequestException('phone: must be a phone number with its country code, like +14155550123');
    }
    const passwordHash = await hashPassword(password);
    const language = wantedLanguage ?? SITE_LANGUAGE[SITE];
    return inTransaction(this.pool, async (client) => {
      const id = await insertAccount(
        client,
        { email, phone: number, username: username ?? null, passwordHash, role: 'user', language },
        CURRENCY_BY_SITE[SITE],
      );
      if (id === null) {
        throw new ConflictException(
          'an account with this e-mail address, phone number or username exists already',
        );
      }
      await recordEvent(client, { type: 'account.created', accountId: id, actorId: id, origin });
      await queueMail(client, { kind: 'verify_email', identifier: email });
      return this.signIn.open(
        client,
        { id, email, credentialsVersion: 0 },
        { method: 'registration' },
        origin,
      );
    });
  }

  /** The guess is counted before it is looked at, so that many at once are all counted. */
  async login({ identifier, password }: Login, origin: Origin): Promise<SessionView | ChallengeView> {
    const claimed = normaliseIdentifier(identifier, this.config.SITE);
    const account = await findForLogin(this.pool, claimed);
    const guess = await this.guesses.admit({
      kind: 'password',
      accountId: account?.id ?? null,
      identifier: claimed,
      address: origin.address,
    });
    const matches = await this.passwords.matches(account?.passwordHash ?? null, password);
    if (!account || !matches) {
      // Recorded of unknown accounts too, so that both take the same time.
      const accountId = account?.id ?? null;
      await recordEvent(this.pool, { type: 'login.failed', accountId, actorId: null, origin });
      throw new UnauthorizedException('the identifier or the password is wrong');
    }
    const view = await this.signIn.begin(account, 'password', origin);
    await guess.wasRight();
    return view;
  }

  async logout({ accountId, sessionId, origin }: Actor): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      await this.sessions.end(client, sessionId);
      await recordEvent(client, { type: 'session.ended', accountId, actorId: accountId, origin });
    });
  }

  async readUser(accountId: string): Promise<UserView> {
    const account = await readAccount(this.pool, accountId);
    if (!account) throw new UnauthorizedException('the account does not exist any more');
    const { createdAt, emailVerified, hasPassword, twoFactor, ...rest } = account;
    return {
      ...rest,
      email_verified: emailVerified,
      has_password: hasPassword,
      two_factor_enabled: twoFactor,
      created_at: createdAt.toISOString(),
    };
  }
}
