import { ConsoleClient, LARGE_EMAIL } from './console-client.mjs';
import { measuredRequests } from './requests.mjs';

/**
 * @import { Started } from '../setup/workbench.mjs'
 * @import { Answer } from './console-client.mjs'
 * @import { MeasuredRequest } from './requests.mjs'
 *
 * @typedef {{ label: string, folder: string }} Build `folder`: a built checkout
 * @typedef {(build: Build) => Promise<Started>} Start starts the console of a build on the filled database
 */

/** Small accounts that ask in turn. Their rows fit into memory, as those of accounts that are active at the same time do. */
const SIGNED_IN_ACCOUNTS = 50;

/** A console that is measured, with accounts that are signed in. */
export class Contender {
  #largeToken;
  #smallTokens;
  #smallEmails;
  #sent = 0;

  /**
   * @param {Build} build
   * @param {Started} started
   * @param {{ largeToken: string, smallTokens: string[], smallEmails: string[] }} accounts
   * @param {MeasuredRequest[]} requests
   */
  constructor({ label }, { url, pid, stop }, { largeToken, smallTokens, smallEmails }, requests) {
    this.label = label;
    this.url = url;
    this.pid = pid;
    this.stop = stop;
    this.requests = requests;
    this.#largeToken = largeToken;
    this.#smallTokens = smallTokens;
    this.#smallEmails = smallEmails;
  }

  /**
   * Sends one request, of a small account or with its sign-in for the next one.
   * @param {ConsoleClient} client
   * @param {MeasuredRequest} request
   * @returns {Promise<Answer>}
   */
  send(client, { by, path, isSignIn }) {
    const n = (this.#sent += 1);
    if (isSignIn) return client.logIn(this.#smallEmails[n % this.#smallEmails.length] ?? '', addressOf(n));
    if (by === 'nobody') return client.get(path);
    const token = by === 'large' ? this.#largeToken : this.#smallTokens[n % this.#smallTokens.length];
    return client.get(path, token);
  }
}

/** @param {number} n @returns {string} an address for each of some million sign-ins */
const addressOf = (n) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;

/**
 * Starts the console of a build on the filled database, and signs in.
 * @param {Start} start
 * @param {Build} build
 * @param {string[]} smallEmails
 * @returns {Promise<Contender>}
 */
export async function startContender(start, build, smallEmails) {
  const started = await start(build);
  const client = new ConsoleClient(started.url);
  const smallTokens = [];
  for (const email of smallEmails.slice(0, SIGNED_IN_ACCOUNTS)) smallTokens.push(await client.signIn(email));
  const largeToken = await client.signIn(LARGE_EMAIL);
  const requests = await measuredRequests(client);
  await client.close();
  return new Contender(build, started, { largeToken, smallTokens, smallEmails }, requests);
}

/** @param {Start} start @param {Build} build @returns {Promise<string>} the id of the large account, which it creates */
export async function registerAccount(start, build) {
  const { url, stop } = await start(build);
  const client = new ConsoleClient(url);
  const accountId = await client.register();
  await client.close();
  await stop();
  return accountId;
}
