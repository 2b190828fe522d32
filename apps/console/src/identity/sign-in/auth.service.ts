import { Database } from '@inference/database';
import {
  AccountSuspendedException,
  type Caller,
  type Role,
  rolesOfRoute,
  STAFF_ROUTES,
} from '@inference/guards';
import { changeBudgetZone, recallLeases } from '@inference/wallet';
import {
  BadRequestException,
  ConflictException,
  ForbiddenException,
  Inject,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';
import {
  findForLogin,
  insertAccount,
  readAccount,
  readTermsAcceptance,
  readTimeZone,
  recordTermsAcceptance,
  setLanguage,
  setStoresResponses,
  setTimeZone,
} from '../../accounts/accounts.repository';
import { type Actor, type Origin } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { normalizeIdentifier, normalizePhone } from '../../accounts/identifier';
import { type Language, SITE_LANGUAGE } from '../../accounts/languages';
import { queueMail } from '../../notifications/mail/outbox';
import { LEGAL_CONFIG, type LegalConfig } from '../../legal.config';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { SIGN_UP_CONFIG, type SignUpConfig } from '../identity.config';
import { LoginThrottle } from '../login-throttle/login-throttle.service';
import { hashPassword, PasswordHasher } from '../passwords/password-hasher';
import { refuseWeakPassword, withLetters } from '../passwords/refused-passwords';
import { endSession } from '../sessions/sessions.repository';
import {
  type ChallengeResponse,
  type LoginDto,
  type RegisterDto,
  type UpdateMeDto,
  type UserResponse,
} from './auth.dto';
import { type SignedIn, SignInService } from './sign-in.service';

/**
 * Names that other people take for the operator, its staff or the system, or that mail and web servers use (RFC 2142). Signs and
 * digits do not make another name of one, and digits that stand for letters do not either.
 */
const RESERVED: ReadonlySet<string> = new Set(
  `abuse accounts admin administration administrator admins anonymous api auth billing bot ceo console contact customerservice
  customersupport daemon everyone finance guest help helpdesk hostmaster info invoice invoices legal login mail mailerdaemon
  moderator nobody noc noreply null official operator operators owner payment payments postmaster privacy root sales security
  service staff superadmin superuser support supportteam sysadmin sysop system team undefined unknown webmaster www`
    .trim()
    .split(/\s+/),
);

/** @param username in lower case */
export const isReservedUsername = (username: string): boolean =>
  [username, withLetters(username)].some((name) => RESERVED.has(name.replace(/[^a-z]/g, '')));

@Injectable()
export class AuthService {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    @Inject(SIGN_UP_CONFIG) private readonly signUp: SignUpConfig,
    @Inject(LEGAL_CONFIG) private readonly legal: LegalConfig,
    private readonly passwords: PasswordHasher,
    private readonly throttle: LoginThrottle,
    private readonly signIn: SignInService,
  ) {}

  /** Makes an account with an empty wallet and signs it in. Throws 403 if sign-up is closed, 409 if a name is taken. */
  async register(
    { email, password, phone, username, accepted_terms: terms }: RegisterDto,
    wantedLanguage: Language | undefined,
    origin: Origin,
  ): Promise<SignedIn> {
    const { site, currency } = this.site;
    if (!this.signUp.isOpen) throw new ForbiddenException('this site takes no new accounts');
    const number = phone === undefined ? null : normalizePhone(phone, site);
    if (phone !== undefined && number === null) {
      throw new BadRequestException('phone: must be a phone number with its country code, like +14155550123');
    }
    if (username !== undefined && isReservedUsername(username))
      throw new BadRequestException('username: is reserved; choose another one');
    if (terms !== undefined || this.legal.terms) this.refuseOtherTerms(terms);
    refuseWeakPassword('password', password, { email, username, phone: number });
    const passwordHash = await hashPassword(password);
    const language = wantedLanguage ?? SITE_LANGUAGE[site];
    return this.database.transaction(async (transaction) => {
      const id = await insertAccount(
        transaction,
        { email, phone: number, username: username ?? null, passwordHash, role: 'user', language },
        currency,
      );
      if (id === null) {
        throw new ConflictException(
          'an account with this e-mail address, phone number or username exists already',
        );
      }
      await recordAuditEvent(transaction, { type: 'account.created', accountId: id, actorId: id, origin });
      if (terms !== undefined) await recordTermsAcceptance(transaction, id, terms);
      await queueMail(transaction, { kind: 'verify_email', identifier: email });
      return this.signIn.open(
        transaction,
        { id, email, credentialsVersion: 0 },
        { method: 'registration' },
        origin,
      );
    });
  }

  /** Throws 401 for a wrong identifier or password, 403 for a suspended account, 429 after too many attempts. */
  async login({ identifier, password }: LoginDto, origin: Origin): Promise<SignedIn | ChallengeResponse> {
    const claimed = normalizeIdentifier(identifier, this.site.site);
    const account = await findForLogin(this.database, claimed);
    const attempt = await this.throttle.admit({
      kind: 'password',
      accountId: account?.id ?? null,
      identifier: claimed,
      address: origin.address,
    });
    const matches = await this.passwords.matches(account?.passwordHash ?? null, password);
    if (!account || !matches) {
      // Recorded for unknown accounts too, so that both take the same time.
      const accountId = account?.id ?? null;
      await recordAuditEvent(this.database, { type: 'login.failed', accountId, actorId: null, origin });
      throw new UnauthorizedException('the identifier or the password is wrong');
    }
    try {
      const view = await this.signIn.begin(account, 'password', origin);
      await attempt.recordSuccess();
      return view;
    } catch (error) {
      // The password was right.
      if (error instanceof AccountSuspendedException) await attempt.recordSuccess();
      throw error;
    }
  }

  async logout({ accountId, sessionId, origin }: Actor): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await endSession(transaction, sessionId);
      await recordAuditEvent(transaction, { type: 'session.ended', accountId, actorId: accountId, origin });
    });
  }

  async updateUser(
    caller: Caller,
    { language, time_zone: timeZone, stores_responses: storesResponses, accepted_terms: terms }: UpdateMeDto,
    origin: Origin,
  ): Promise<UserResponse> {
    const { accountId } = caller;
    if (terms !== undefined) {
      this.refuseOtherTerms(terms);
      await recordTermsAcceptance(this.database, accountId, terms);
    }
    if (language !== undefined) await setLanguage(this.database, accountId, language);
    if (timeZone !== undefined) await this.changeTimeZone(accountId, timeZone);
    if (storesResponses !== undefined) await this.changeStorage(accountId, storesResponses, origin);
    return this.readUser(caller);
  }

  async readUser({ accountId, role: callerRole, lacksSecondFactor = false }: Caller): Promise<UserResponse> {
    const account = await readAccount(this.database, accountId);
    if (!account) throw new UnauthorizedException('the account does not exist any more');
    const accepted = await readTermsAcceptance(this.database, accountId);
    const { id, email, phone, username, role, language, timeZone } = account;
    return {
      id,
      email,
      phone,
      username,
      role,
      language,
      time_zone: timeZone,
      stores_responses: account.storesResponses,
      email_verified: account.emailVerified,
      has_password: account.hasPassword,
      accepted_terms: accepted && {
        version: accepted.version,
        accepted_at: accepted.acceptedAt.toISOString(),
      },
      two_factor_enabled: account.twoFactor,
      second_factor_required: lacksSecondFactor,
      staff_routes: STAFF_ROUTES.filter((route) =>
        (rolesOfRoute(route) as readonly Role[]).includes(callerRole),
      ),
      created_at: account.createdAt.toISOString(),
    };
  }

  private async changeStorage(accountId: string, storesResponses: boolean, origin: Origin): Promise<void> {
    await this.database.transaction(async (transaction) => {
      if (!(await setStoresResponses(transaction, accountId, storesResponses))) return;
      const type = storesResponses ? 'response_storage.enabled' : 'response_storage.disabled';
      await recordAuditEvent(transaction, { type, accountId, actorId: accountId, origin });
    });
  }

  private async changeTimeZone(accountId: string, timeZone: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      // The account is locked before its wallet, as by a change of a key.
      if (!(await setTimeZone(transaction, accountId, timeZone)))
        throw new BadRequestException('time_zone: is not known to the database');
      await recallLeases(transaction, accountId, 0);
      await changeBudgetZone(transaction, accountId, await readTimeZone(transaction, accountId));
    });
  }

  /** Throws 400 unless the version is that of the terms of the site. */
  private refuseOtherTerms(version: string | undefined): void {
    const { terms } = this.legal;
    if (version === terms?.version) return;
    if (!terms)
      throw new BadRequestException(
        'accepted_terms: must be absent, because this site has no terms to accept',
      );
    const current = `${terms.version}, which can be read at ${terms.url}`;
    throw new BadRequestException(
      version === undefined
        ? `accepted_terms: must be the version of the terms of use that is accepted: ${current}`
        : `accepted_terms: is not the current version of the terms of use: ${current}`,
    );
  }
}
