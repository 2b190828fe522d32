import { Client } from 'undici';
import { DAYS } from './filled-database.mjs';

/**
 * The measured requests: the lists of one account.
 *
 * @typedef {{ name: string, path: string }} ReadRequest
 */

const PAGE_ROWS = 100;
/** 5,000 rows: the middle of the payments. */
const SKIPPED_PAGES = 50;
const MS_PER_DAY = 86_400_000;
const EMAIL = 'large-account@example.com';
const PASSWORD = 'the password of the large account';

/** A client of a console that is signed in as the large account, over one connection that is kept open. */
export class ConsoleClient {
  #connection;
  #token = '';

  /** @param {string} url */
  constructor(url) {
    this.#connection = new Client(url);
  }

  /** Creates the large account. @returns {Promise<string>} its id */
  async register() {
    const { user } = await this.#post('/api/auth/register', { email: EMAIL, password: PASSWORD });
    return user.id;
  }

  async signIn() {
    this.#token = (await this.#post('/api/auth/login', { identifier: EMAIL, password: PASSWORD })).token;
  }

  /** @param {string} path @param {object} body */
  async #post(path, body) {
    const response = await this.#connection.request({
      ...{ method: 'POST', path, body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json' },
    });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`POST ${path}: ${response.statusCode} ${text}`);
    return JSON.parse(text);
  }

  /** @param {string} path @returns {Promise<{ status: number, text: string }>} */
  async get(path) {
    const headers = { authorization: `Bearer ${this.#token}` };
    const { statusCode, body } = await this.#connection.request({ method: 'GET', path, headers });
    return { status: statusCode, text: await body.text() };
  }

  /** @param {string} path @returns {Promise<any>} */
  async getJson(path) {
    const { status, text } = await this.get(path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
    return JSON.parse(text);
  }

  close() {
    return this.#connection.close();
  }
}

/** @param {number} days before today @returns {string} such as 2026-01-31 */
const dayBefore = (days) => new Date(Date.now() - days * MS_PER_DAY).toISOString().slice(0, 10);

/** @param {ConsoleClient} client @param {string} list @returns {Promise<string>} the path of the page after SKIPPED_PAGES */
async function deepPage(client, list) {
  let path = `${list}?limit=${PAGE_ROWS}`;
  for (let page = 0; page < SKIPPED_PAGES; page += 1) {
    const { next_cursor: cursor } = await client.getJson(path);
    if (cursor === null) throw new Error(`${list} has only ${page + 1} pages.`);
    path = `${list}?limit=${PAGE_ROWS}&cursor=${cursor}`;
  }
  return path;
}

/** @param {ConsoleClient} client @returns {Promise<ReadRequest[]>} */
export async function readRequests(client) {
  const [transactions, payments, usage, requests] = ['transactions', 'payments', 'usage', 'requests'].map(
    (name) => `/api/billing/${name}`,
  );
  const month = `from=${dayBefore(30)}&to=${dayBefore(0)}`;
  const year = `from=${dayBefore(DAYS)}&to=${dayBefore(0)}`;
  const { requests: page } = await client.getJson(`${requests}?limit=${PAGE_ROWS}`);
  const requestId = page[0].id;
  const keyId = page.find((/** @type {any} */ { api_key: key }) => key !== null).api_key.id;
  return [
    { name: 'usage of 30 days by day and model', path: `${usage}?${month}` },
    { name: 'usage of 30 days by hour and model', path: `${usage}?${month}&granularity=hour` },
    { name: 'usage of 30 days in Kolkata (partial hours)', path: `${usage}?${month}&time_zone=Asia/Kolkata` },
    { name: `usage of ${DAYS} days by day and model`, path: `${usage}?${year}` },
    {
      name: 'usage of 30 days by day, model, key and entrypoint',
      path: `${usage}?${month}&group_by=model,api_key,entrypoint`,
    },
    {
      name: `usage of ${DAYS} days by month and key`,
      path: `${usage}?${year}&granularity=month&group_by=api_key`,
    },
    { name: 'requests, first page', path: `${requests}?limit=${PAGE_ROWS}` },
    { name: 'requests, page 51', path: await deepPage(client, `${requests}`) },
    { name: 'requests of one key', path: `${requests}?limit=${PAGE_ROWS}&api_key_id=${keyId}` },
    { name: 'requests of a model that is not used', path: `${requests}?limit=${PAGE_ROWS}&model=absent` },
    { name: 'requests that broke off', path: `${requests}?limit=${PAGE_ROWS}&outcome=interrupted` },
    { name: 'one request', path: `${requests}/${requestId}` },
    { name: 'transactions, first page', path: `${transactions}?limit=${PAGE_ROWS}` },
    { name: 'transactions, page 51', path: await deepPage(client, `${transactions}`) },
    { name: 'payments, first page', path: `${payments}?limit=${PAGE_ROWS}` },
    { name: 'payments, page 51', path: await deepPage(client, `${payments}`) },
    { name: 'API keys', path: '/api/api-keys' },
  ];
}
