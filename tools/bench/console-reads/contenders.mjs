import { ConsoleClient, readRequests } from './read-requests.mjs';

/**
 * @import { Started } from '../setup/workbench.mjs'
 * @import { ReadRequest } from './read-requests.mjs'
 *
 * @typedef {{ label: string, folder: string }} Build `folder`: a built checkout
 * @typedef {(build: Build) => Promise<Started>} Start starts the console of a build on the filled database
 * @typedef {Build & { client: ConsoleClient, pid: number, requests: ReadRequest[], stop: () => Promise<void> }} Contender
 */

/**
 * @param {Start} start
 * @param {Build} build
 * @param {ReadRequest[]} [requests] of the same build; by default it is asked for the cursors
 * @returns {Promise<Contender>} signed in; the account must be filled
 */
export async function startContender(start, build, requests) {
  const { url, pid, stop } = await start(build);
  const client = new ConsoleClient(url);
  await client.signIn();
  const close = () => client.close().then(stop);
  return { ...build, client, pid, requests: requests ?? (await readRequests(client)), stop: close };
}

/** @param {Start} start @param {Build} build @returns {Promise<string>} the id of a new account */
export async function registerAccount(start, build) {
  const { url, stop } = await start(build);
  const client = new ConsoleClient(url);
  const accountId = await client.register();
  await client.close();
  await stop();
  return accountId;
}
