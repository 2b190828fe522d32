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
import { findForLogin, insertAccount, readAccount } from './accounts';
import { type Login, type Registration, type SessionView, type UserView } from './auth.dto';
import { normaliseIdentifier, normalisePhone } from './identifier';
import { hashPassword, PasswordHasher } from './password-hasher';
import { SessionsService } from './sessions.service';

@Injectable()
export class AuthService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
    private readonly passwords: PasswordHasher,
    private readonly sessions: SessionsService,
  ) {}

  /** Makes an account with an empty wallet and signs it in. */
  async register({ email, password, phone, username }: Registration): Promise<SessionView> {
    const { SIGNUP, SITE } = this.config;
    if (SIGNUP === 'closed') throw new ForbiddenException('this site takes no new accounts');
    const number = phone === undefined ? null : normalisePhone(phone, SITE);
    if (phone !== undefined && number === null) {
      throw new BadRequestException('phone: must be a phone number with its country code, like +14155550123');
    }
    const passwordHash = await hashPassword(password);
    const id = await inTransaction(this.pool, (client) =>
      insertAccount(
        client,
        { email, phone: number, username: username ?? null, passwordHash, role: 'user' },
        CURRENCY_BY_SITE[SITE],
      ),
    );
    if (id === null) {
      throw new ConflictException(
        'an account with this e-mail address, phone number or username exists already',
      );
    }
    return { token: await this.sessions.open(id), user: { id, email } };
  }

  async login({ identifier, password }: Login): Promise<SessionView> {
    const account = await findForLogin(this.pool, normaliseIdentifier(identifier, this.config.SITE));
    const matches = await this.passwords.matches(account?.passwordHash ?? null, password);
    if (!account || !matches) throw new UnauthorizedException('the identifier or the password is wrong');
    const { id, email } = account;
    return { token: await this.sessions.open(id), user: { id, email } };
  }

  async readUser(accountId: string): Promise<UserView> {
    const account = await readAccount(this.pool, accountId);
    if (!account) throw new UnauthorizedException('the account does not exist any more');
    const { createdAt, ...rest } = account;
    return { ...rest, created_at: createdAt.toISOString() };
  }
}
