import { randomInt } from 'node:crypto';

import { TOTP } from 'otpauth';
import { startConsole } from './console.mjs';
import { createDatabase, product } from './database.mjs';
import { printVerdicts } from './report.mjs';

const TRIES = 10_000;
const AT_ONCE = 32;
const SPRAYED_ACCOUNTS = 1_000;
const RAIDED_ACCOUNTS = 100;
const PASSWORD = 'the password of the owner';
/** A right one among so many wrong ones is a break-in, and is reported as one. */
const CODES = 1_000_000;
/** Of those that a challenge takes. */
const TRIES_PER_CHALLENGE = 5;
/** Ten guesses before delays begin, and what the doubling delays let through while a run lasts. */
const MOST_AT_ONE_ACCOUNT = 20;
/** Thirty, and those of the minutes that a run lasts. */
const MOST_FROM_ONE_ADDRESS = 45;
/** An owner who has to wait longer was locked out. */
const OWNER_DEADLINE_MS = 60_000;

/** @typedef {{ id: string, email: string }} Owner */

/** What a run needs to know of the console that it tries to break into. */
class Target {
  #addresses = 0;

  constructor(url, pool, signal) {
    this.url = url;
    this.pool = pool;
    this.signal = signal;
  }

  /** One that nobody has used before. */
  newAddress() {
    const n = (this.#addresses += 1);
    return `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
  }

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

  login(email, password, address) {
    return this.post('/api/auth/login', { identifier: email, password }, address);
  }

  verify(challengeId, code, address) {
    return this.post('/api/auth/2fa/verify', { challenge_id: challengeId, code }, address);
  }

  /** @returns {Promise<Owner[]>} */
  async createOwners(count) {
    const { insertAccount } = product('libs/testing/src');
    const hash = await product('apps/console/src/auth/password-hasher.js').hashPassword(PASSWORD);
    const owners = [];
    for (let n = 0; n < count; n += 1) {
      const { accountId: id } = await insertAccount(this.pool);
      const { rows } = await this.pool.query(
        'UPDATE accounts.accounts SET password_hash = $2 WHERE id = $1 RETURNING id, email',
        [id, hash],
      );
      owners.push(rows[0]);
    }
    return owners;
  }

  /** What the console says it has really looked at. */
  async countEvents(type) {
    const { rows } = await this.pool.query(
      'SELECT count(*)::int AS count FROM accounts.security_events WHERE type = $1',
      [type],
    );
    return rows[0].count;
  }
}

/**
 * Makes all the tries, many at once.
 * @param {(n: number, attacker: number) => Promise<{ status: number }>} attempt
 * @returns {Promise<{ counts: Record<string, number>, seconds: number }>} by status
 */
async function attack(attempt) {
  const counts = {};
  let next = 0;
  const startedAt = performance.now();
  const attackers = Array.from({ length: AT_ONCE }, async (_, attacker) => {
    while (next < TRIES) {
      const { status } = await attempt(next++, attacker);
      counts[status] = (counts[status] ?? 0) + 1;
    }
  });
  await Promise.all(attackers);
  return { counts, seconds: (performance.now() - startedAt) / 1000 };
}

/** @param {() => Promise<{ status: number, retryAfter: number }>} signIn @returns {Promise<number>} milliseconds until it succeeds */
async function timeSignIn(signIn) {
  const startedAt = performance.now();
  for (;;) {
    const { status, retryAfter } = await signIn();
    const elapsedMs = performance.now() - startedAt;
    if (status === 200) return elapsedMs;
    if (status !== 429 || elapsedMs > OWNER_DEADLINE_MS) return NaN;
    await new Promise((resolve) => setTimeout(resolve, retryAfter * 1000));
  }
}

/** Prints what came of an attack. @returns {string[]} faults */
function report(title, { counts, seconds }, { looked, ownerMs, atMost }) {
  const { 401: wrong = 0, 429: refused = 0, ...others } = counts;
  console.log(`\n${title}: ${TRIES} tries in ${seconds.toFixed(1)} s`);
  printVerdicts([
    { what: '  evaluated (401)', value: wrong, unit: ' tries', atMost },
    { what: '  refused (429)', value: refused, unit: ' tries' },
    { what: '  the owner, where the owner is known, is in after', value: ownerMs, unit: ' ms' },
  ]);
  const faults = Object.entries(others).map(([status, count]) => `${title}: ${count} answered ${status}`);
  if (looked !== wrong) faults.push(`${title}: ${wrong} were answered 401, but ${looked} were looked at`);
  if (!Number.isFinite(ownerMs)) faults.push(`${title}: the owner could not sign in`);
  return faults;
}

/** (a) One account, each try from another address. */
async function attackAccount(target) {
  const [owner] = await target.createOwners(1);
  const home = target.newAddress();
  const signIn = () => target.login(owner.email, PASSWORD, home);
  await signIn();
  const before = await target.countEvents('login.failed');
  const outcome = await attack((n) => target.login(owner.email, `guess ${n}`, target.newAddress()));
  const looked = (await target.countEvents('login.failed')) - before;
  const ownerMs = await timeSignIn(signIn);
  const title = '(a) passwords of one account, from 10,000 addresses';
  return report(title, outcome, { looked, ownerMs, atMost: MOST_AT_ONE_ACCOUNT });
}

/**
 * Many accounts in turn.
 * @param {Target} target
 * @param {string} title
 * @param {{ accounts: number, addressOf: () => string, atMost: number }} how
 */
async function attackAccounts(target, title, { accounts, addressOf, atMost }) {
  const owners = await target.createOwners(accounts);
  const home = target.newAddress();
  const signIn = () => target.login(owners[0].email, PASSWORD, home);
  await signIn();
  const before = await target.countEvents('login.failed');
  const outcome = await attack((n) =>
    target.login(owners[n % owners.length].email, 'a usual password', addressOf()),
  );
  const looked = (await target.countEvents('login.failed')) - before;
  const ownerMs = await timeSignIn(signIn);
  return report(title, outcome, { looked, ownerMs, atMost });
}

/** (b) From one address. */
function attackFromAddress(target) {
  const address = target.newAddress();
  return attackAccounts(target, '(b) passwords of 1,000 accounts, from one address', {
    accounts: SPRAYED_ACCOUNTS,
    addressOf: () => address,
    atMost: MOST_FROM_ONE_ADDRESS,
  });
}

/** @returns {Promise<string[]>} recovery codes */
async function enableTwoFactor(target, token, address) {
  const { body } = await target.post('/api/auth/2fa/setup', {}, address, token);
  const code = new TOTP({ secret: body.secret }).generate();
  const enabled = await target.post('/api/auth/2fa/enable', { code }, address, token);
  if (enabled.status !== 200) throw new Error(`No second factor: ${JSON.stringify(enabled.body)}`);
  return enabled.body.recovery_codes;
}

/** A challenge for each attacker, who knows the password; five wrong codes use one up. */
class Challenges {
  #open = new Map();
  #last = Promise.resolve();

  constructor(target, owner) {
    this.target = target;
    this.owner = owner;
  }

  /** @returns {Promise<{ id: string, triesLeft: number }>} */
  async of(attacker) {
    if (!this.#open.get(attacker)?.triesLeft) this.#open.set(attacker, await this.#next());
    return this.#open.get(attacker);
  }

  /** One after another: many right passwords at once look like guesses. */
  #next() {
    const begin = async () => {
      const { status, body } = await this.target.login(this.owner.email, PASSWORD, this.target.newAddress());
      if (!body.challenge) throw new Error(`No challenge: ${status} ${JSON.stringify(body)}`);
      return { id: body.challenge.id, triesLeft: TRIES_PER_CHALLENGE };
    };
    return (this.#last = this.#last.then(begin));
  }
}

/** (c) The second factor of one account whose password is known, each try from another address. */
async function attackSecondFactor(target) {
  const [owner] = await target.createOwners(1);
  const home = target.newAddress();
  const { body } = await target.login(owner.email, PASSWORD, home);
  const recoveryCodes = await enableTwoFactor(target, body.token, home);
  const before = await target.countEvents('second_factor.failed');
  const challenges = new Challenges(target, owner);
  const outcome = await attack(async (_n, attacker) => {
    const challenge = await challenges.of(attacker);
    const code = String(randomInt(CODES)).padStart(6, '0');
    const answer = await target.verify(challenge.id, code, target.newAddress());
    // What was refused has not used a try.
    if (answer.status === 401) challenge.triesLeft -= 1;
    return answer;
  });
  const looked = (await target.countEvents('second_factor.failed')) - before;
  const ownerMs = await timeSignIn(async () => {
    const begun = await target.login(owner.email, PASSWORD, home);
    if (begun.status !== 200) return begun;
    return target.verify(begun.body.challenge.id, recoveryCodes.pop(), home);
  });
  const title = '(c) second factors of one account, from 10,000 addresses';
  return report(title, outcome, { looked, ownerMs, atMost: MOST_AT_ONE_ACCOUNT });
}

/** (d) Each try from another address. */
function attackFromEverywhere(target) {
  return attackAccounts(target, '(d) passwords of 100 accounts, from 10,000 addresses', {
    accounts: RAIDED_ACCOUNTS,
    addressOf: () => target.newAddress(),
    atMost: RAIDED_ACCOUNTS * MOST_AT_ONE_ACCOUNT,
  });
}

/** @param {import('./workbench.mjs').Workbench} bench @returns {Promise<string[]>} faults */
export async function benchGuesses(bench) {
  const database = await createDatabase(bench, 'guesses_bench');
  const started = await startConsole(bench, database);
  const target = new Target(started.url, database.pool, bench.signal);
  console.log(`\nGuesses: ${TRIES} tries of each kind, ${AT_ONCE} at once, at the limits' own size.`);
  const faults = [];
  for (const attackSome of [attackAccount, attackFromAddress, attackSecondFactor, attackFromEverywhere])
    faults.push(...(await attackSome(target)));
  return faults;
}
