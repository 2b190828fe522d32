import { insertAccount } from '@inference/testing';
import { type Answer, type TestConsole, TestSite } from '../../testing/console.fixture';
import { hashPassword } from '../passwords/password-hasher';

export const PASSWORD = 'correct horse battery';
export const FREE_PER_ACCOUNT = 10;
/** A console behind a proxy, with the limits of production. */
export const ENVIRONMENT = { TRUST_PROXY: 'loopback', RATE_LIMIT_MULTIPLIER: '1' };

let addresses = 0;
export const newAddress = () => `10.${++addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`;

/** A site with the limits of production, and its counted login attempts. */
export class ThrottledSite {
  private constructor(
    readonly site: TestSite,
    private readonly passwordHash: string,
  ) {}

  static async start(): Promise<ThrottledSite> {
    return new ThrottledSite(await TestSite.start(ENVIRONMENT), await hashPassword(PASSWORD));
  }

  stop(): Promise<void> {
    return this.site.stop();
  }

  /** An account with PASSWORD. */
  async newOwner(): Promise<{ accountId: string; email: string }> {
    const { pool } = this.site.database;
    const { accountId } = await insertAccount(pool);
    await pool.query('UPDATE accounts.accounts SET password_hash = $2 WHERE id = $1', [
      accountId,
      this.passwordHash,
    ]);
    return { accountId, email: `${accountId.toLowerCase()}@example.com` };
  }

  login(
    identifier: string,
    password: string,
    address: string = newAddress(),
    console: TestConsole = this.site.console,
  ): Promise<Answer> {
    return console.request('POST', '/api/auth/login', {
      json: { identifier, password },
      headers: { 'X-Forwarded-For': address },
    });
  }

  /** Statuses of failed logins, one after another. Each is from another address unless one is given. */
  async failedLogins(count: number, identifier: string, address?: string): Promise<number[]> {
    const statuses: number[] = [];
    for (let n = 0; n < count; n++)
      statuses.push((await this.login(identifier, 'wrong password', address)).status);
    return statuses;
  }

  /** Blocks a subject for longer than any test takes. */
  async block(subject: string): Promise<void> {
    await this.site.database.pool.query(
      `UPDATE accounts.login_attempts SET retry_at = clock_timestamp() + interval '10 minutes' WHERE subject = $1`,
      [subject],
    );
  }

  /** Moves the state of all subjects into the past. */
  async passTime(seconds: number): Promise<void> {
    await this.site.database.pool.query(
      `UPDATE accounts.login_attempts SET counted_at = counted_at - make_interval(secs => $1),
         retry_at = retry_at - make_interval(secs => $1), expires_at = expires_at - make_interval(secs => $1)`,
      [seconds],
    );
  }

  /** The subjects that match a LIKE pattern, in alphabetical order. */
  async subjects(pattern: string): Promise<{ subject: string; failures: number }[]> {
    const { rows } = await this.site.database.pool.query<{ subject: string; failures: number }>(
      'SELECT subject, ceil(failures)::float8 AS failures FROM accounts.login_attempts WHERE subject LIKE $1 ORDER BY subject',
      [pattern],
    );
    return rows;
  }
}
