import { randomInt } from 'node:crypto';

import { TOTP } from 'otpauth';
import { startConsole } from '../setup/console.mjs';
import { createDatabase } from '../setup/database.mjs';
import { printVerdicts } from '../measuring/report.mjs';
import { PASSWORD, Target } from './target-console.mjs';

const ATTEMPTS = 10_000;
const CONCURRENCY = 32;
/** In the attack from one address. */
const ACCOUNTS_FROM_ONE_ADDRESS = 1_000;
/** In the attack from many addresses. */
const ACCOUNTS_FROM_MANY_ADDRESSES = 100;
/** The number of codes of six digits. */
const CODES = 1_000_000;
/** The wrong codes that a challenge allows. */
const ATTEMPTS_PER_CHALLENGE = 5;
/** The 10 attempts before the delays begin, and those that the doubling delays allow during a run. */
const MAX_PER_ACCOUNT = 20;
/** The initial 30 attempts, and those of the minutes of a run. */
const MAX_PER_ADDRESS = 45;
/** An owner who has to wait longer counts as locked out. */
const OWNER_DEADLINE_MS = 60_000;

/**
 * @import { AuthResponse, Owner } from './target-console.mjs'
 *
 * @typedef {{ counts: Record<string, number>, seconds: number }} Outcome `counts` by status
 */

/**
 * Makes ATTEMPTS attempts, CONCURRENCY at a time.
 * @param {(n: number, attacker: number) => Promise<{ status: number }>} attempt
 * @returns {Promise<Outcome>}
 */
async function attack(attempt) {
  /** @type {Outcome['counts']} */
  const counts = {};
  let next = 0;
  const startedAt = performance.now();
  const attackers = Array.from({ length: CONCURRENCY }, async (_, attacker) => {
    while (next < ATTEMPTS) {
      const { status } = await attempt(next++, attacker);
      counts[status] = (counts[status] ?? 0) + 1;
    }
  });
  await Promise.all(attackers);
  return { counts, seconds: (performance.now() - startedAt) / 1000 };
}

/**
 * @param {() => Promise<AuthResponse>} signIn
 * @returns {Promise<number>} milliseconds until it succeeds; NaN if it does not within OWNER_DEADLINE_MS
 */
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

/**
 * Prints the result of an attack.
 * @param {string} title
 * @param {Outcome} outcome
 * @param {{ evaluated: number, ownerMs: number, atMost: number }} result
 * @returns {string[]} failures
 */
function report(title, { counts, seconds }, { evaluated, ownerMs, atMost }) {
  const { 401: wrong = 0, 429: refused = 0, ...others } = counts;
  console.log(`\n${title}: ${ATTEMPTS} attempts in ${seconds.toFixed(1)} s`);
  printVerdicts([
    { what: '  evaluated (401)', value: wrong, unit: ' attempts', atMost },
    { what: '  refused (429)', value: refused, unit: ' attempts' },
    { what: '  login of the owner from a known address takes', value: ownerMs, unit: ' ms' },
  ]);
  const faults = Object.entries(others).map(([status, count]) => `${title}: ${count} answered ${status}`);
  if (evaluated !== wrong)
    faults.push(`${title}: ${wrong} were answered 401, but ${evaluated} were evaluated`);
  if (!Number.isFinite(ownerMs)) faults.push(`${title}: the owner could not sign in`);
  return faults;
}

/** (a) Attacks one account, each time from another address. @param {Target} target */
async function attackAccount(target) {
  const [owner] = await target.createOwners(1);
  const home = target.newAddress();
  const signIn = () => target.login(owner.email, PASSWORD, home);
  await signIn();
  const before = await target.countEvents('login.failed');
  const outcome = await attack((n) => target.login(owner.email, `wrong password ${n}`, target.newAddress()));
  const evaluated = (await target.countEvents('login.failed')) - before;
  const ownerMs = await timeSignIn(signIn);
  const title = '(a) passwords of one account, from 10,000 addresses';
  return report(title, outcome, { evaluated, ownerMs, atMost: MAX_PER_ACCOUNT });
}

/**
 * Attacks several accounts in turn.
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
    target.login((owners[n % owners.length] ?? owners[0]).email, 'a usual password', addressOf()),
  );
  const evaluated = (await target.countEvents('login.failed')) - before;
  const ownerMs = await timeSignIn(signIn);
  return report(title, outcome, { evaluated, ownerMs, atMost });
}

/** (b) Attacks many accounts from one address. @param {Target} target */
function attackFromAddress(target) {
  const address = target.newAddress();
  return attackAccounts(target, '(b) passwords of 1,000 accounts, from one address', {
    accounts: ACCOUNTS_FROM_ONE_ADDRESS,
    addressOf: () => address,
    atMost: MAX_PER_ADDRESS,
  });
}

/**
 * @param {Target} target
 * @param {string | undefined} token
 * @param {string} address
 * @returns {Promise<string[]>} recovery codes
 */
async function enableTwoFactor(target, token, address) {
  const { body } = await target.post('/api/auth/2fa/setup', {}, address, token);
  const code = new TOTP({ secret: body.secret }).generate();
  const enabled = await target.post('/api/auth/2fa/enable', { code }, address, token);
  const { recovery_codes: codes } = enabled.body;
  if (enabled.status !== 200 || !codes) throw new Error(`No second factor: ${JSON.stringify(enabled.body)}`);
  return codes;
}

/** @typedef {{ id: string, attemptsLeft: number }} Challenge */

/** One open challenge for each attacker. It is replaced after ATTEMPTS_PER_CHALLENGE wrong codes. */
class Challenges {
  /** @type {Map<number, Challenge>} */
  #open = new Map();
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /** @param {Target} target @param {Owner} owner */
  constructor(target, owner) {
    this.target = target;
    this.owner = owner;
  }

  /** @param {number} attacker @returns {Promise<Challenge>} */
  async of(attacker) {
    const open = this.#open.get(attacker);
    if (open && open.attemptsLeft > 0) return open;
    const next = await this.#next();
    this.#open.set(attacker, next);
    return next;
  }

  /** Signs in sequentially: the throttle treats concurrent logins of one account as failed attempts. */
  #next() {
    const begin = async () => {
      const { status, body } = await this.target.login(this.owner.email, PASSWORD, this.target.newAddress());
      if (!body.challenge) throw new Error(`No challenge: ${status} ${JSON.stringify(body)}`);
      return { id: body.challenge.id, attemptsLeft: ATTEMPTS_PER_CHALLENGE };
    };
    const next = this.#last.then(begin);
    this.#last = next;
    return next;
  }
}

/** (c) Attacks the second factor of an account whose password is known, each time from another address. @param {Target} target */
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
    // A refused attempt (429) is not counted by the challenge.
    if (answer.status === 401) challenge.attemptsLeft -= 1;
    return answer;
  });
  const evaluated = (await target.countEvents('second_factor.failed')) - before;
  const ownerMs = await timeSignIn(async () => {
    const login = await target.login(owner.email, PASSWORD, home);
    if (login.status !== 200 || !login.body.challenge) return login;
    return target.verify(login.body.challenge.id, recoveryCodes.pop() ?? '', home);
  });
  const title = '(c) second factors of one account, from 10,000 addresses';
  return report(title, outcome, { evaluated, ownerMs, atMost: MAX_PER_ACCOUNT });
}

/** (d) Attacks many accounts, each time from another address. @param {Target} target */
function attackFromEverywhere(target) {
  return attackAccounts(target, '(d) passwords of 100 accounts, from 10,000 addresses', {
    accounts: ACCOUNTS_FROM_MANY_ADDRESSES,
    addressOf: () => target.newAddress(),
    atMost: ACCOUNTS_FROM_MANY_ADDRESSES * MAX_PER_ACCOUNT,
  });
}

/** @type {import('../setup/workbench.mjs').Benchmark} */
export async function benchLoginThrottle(bench) {
  const database = await createDatabase(bench, 'login_throttle_bench');
  const started = await startConsole(bench, database);
  const target = new Target(started.url, database.pool, bench.signal);
  console.log(`\nLogin throttle: ${ATTEMPTS} attempts per attack, ${CONCURRENCY} at a time, default limits.`);
  const attacks = [attackAccount, attackFromAddress, attackSecondFactor, attackFromEverywhere];
  /** @type {string[]} */
  const faults = [];
  for (const run of attacks) faults.push(...(await run(target)));
  return faults;
}
