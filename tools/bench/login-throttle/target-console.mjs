import { loadBuilt } from '../setup/built-modules.mjs';

/** The password of all accounts. */
export const PASSWORD = 'the password of the owner';

/**
 * @import { Database } from '../setup/database.mjs'
 *
 * @typedef {{ id: string, email: string }} Owner
 * @typedef {{ token?: string, secret?: string, recovery_codes?: string[], challenge?: { id: string } }} AuthBody
 * @typedef {{ status: number, retryAfter: number, body: AuthBody }} AuthResponse `retryAfter` in seconds
 */

/** The attacked console. */
export class Target {
  #addresses = 0;

  /** @param {string} url @param {Database['pool']} pool @param {AbortSignal} signal */
  constructor(url, pool, signal) {
    this.url = url;
    this.pool = pool;
    this.signal = signal;
  }

  /** @returns {string} an address that no request had before */
  newAddress() {
    const n = (this.#addresses += 1);
    return `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
  }

  /**
   * @param {string} path
   * @param {object} body
   * @param {string} address of the client
   * @param {string} [token]
   * @returns {Promise<AuthResponse>}
   */
  async post(path, body, address, token) {
    this.signal.throwIfAborted();
    const response = await fetch(this.url + path, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Forwarded-For': address,
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return {
      status: response.status,
      retryAfter: Number(response.headers.get('retry-after') ?? 0),
      body: text === '' ? {} : JSON.parse(text),
    };
  }

  /** @param {string} email @param {string} password @param {string} address */
  login(email, password, address) {
    return this.post('/api/auth/login', { identifier: email, password }, address);
  }

  /** @param {string} challengeId @param {string} code @param {string} address */
  verify(challengeId, code, address) {
    return this.post('/api/auth/2fa/verify', { challenge_id: challengeId, code }, address);
  }

  /** @param {number} count @returns {Promise<[Owner, ...Owner[]]>} */
  async createOwners(count) {
    const { insertAccount } = loadBuilt('libs/testing/src');
    const hash = await loadBuilt('apps/console/src/identity/passwords/password-hasher').hashPassword(
      PASSWORD,
    );
    const createOwner = async () => {
      const { accountId: id } = await insertAccount(this.pool);
      const { rows } = await this.pool.query(
        'UPDATE accounts.accounts SET password_hash = $2, email_verified_at = now() WHERE id = $1 RETURNING id, email',
        [id, hash],
      );
      return rows[0];
    };
    /** @type {[Owner, ...Owner[]]} */
    const owners = [await createOwner()];
    while (owners.length < count) owners.push(await createOwner());
    return owners;
  }

  /** Counts the attempts that the console has evaluated. @param {string} type of the security event @returns {Promise<number>} */
  async countEvents(type) {
    const { rows } = await this.pool.query(
      'SELECT count(*)::int AS count FROM accounts.security_events WHERE type = $1',
      [type],
    );
    return rows[0].count;
  }
}
