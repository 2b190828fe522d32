import { CATALOGUE_MODELS, DAYS } from './fill-statements.mjs';

/**
 * The measured requests.
 *
 * @import { ConsoleClient } from './console-client.mjs'
 *
 * @typedef {object} MeasuredRequest
 * @property {string} name
 * @property {'large' | 'small' | 'nobody'} by whom: the large account, one of the small ones in turn, or without a credential
 * @property {string} path
 * @property {boolean} [isSignIn] whether it is sent as a sign-in
 */

const PAGE_ROWS = 100;
/** 5,000 rows: the middle of the payments. */
const SKIPPED_PAGES = 50;
const MS_PER_DAY = 86_400_000;

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

/** @param {ConsoleClient} client of the large account @returns {Promise<MeasuredRequest[]>} */
export async function measuredRequests(client) {
  const [transactions, payments, usage, requests] = ['transactions', 'payments', 'usage', 'requests'].map(
    (name) => `/api/billing/${name}`,
  );
  const month = `from=${dayBefore(30)}&to=${dayBefore(0)}`;
  const year = `from=${dayBefore(DAYS)}&to=${dayBefore(0)}`;
  const { requests: page } = await client.getJson(`${requests}?limit=${PAGE_ROWS}`);
  const requestId = page[0].id;
  const keyId = page.find((/** @type {any} */ { api_key: key }) => key !== null).api_key.id;
  /** @type {Record<string, string>} */
  const ofSmall = {
    'API keys': '/api/api-keys',
    'usage of this month by day and model': `${usage}`,
    'usage of 30 days by hour and model': `${usage}?${month}&granularity=hour`,
    [`usage of ${DAYS} days by day and model`]: `${usage}?${year}`,
    'transactions, first page': `${transactions}?limit=${PAGE_ROWS}`,
  };
  /** @type {Record<string, string>} */
  const ofLarge = {
    ...ofSmall,
    'usage of 30 days in Kolkata (partial hours)': `${usage}?${month}&time_zone=Asia/Kolkata`,
    'usage of 30 days by day, model, key and entrypoint': `${usage}?${month}&group_by=model,api_key,entrypoint`,
    [`usage of ${DAYS} days by month and key`]: `${usage}?${year}&granularity=month&group_by=api_key`,
    'transactions, page 51': await deepPage(client, `${transactions}`),
    'requests, first page': `${requests}?limit=${PAGE_ROWS}`,
    'requests, page 51': await deepPage(client, `${requests}`),
    'requests of one key': `${requests}?limit=${PAGE_ROWS}&api_key_id=${keyId}`,
    'requests of a model that is not used': `${requests}?limit=${PAGE_ROWS}&model=absent`,
    'requests that broke off': `${requests}?limit=${PAGE_ROWS}&outcome=interrupted`,
    'one request': `${requests}/${requestId}`,
    'payments, first page': `${payments}?limit=${PAGE_ROWS}`,
    'payments, page 51': await deepPage(client, `${payments}`),
  };
  return [
    { name: 'login', by: 'small', path: '/api/auth/login', isSignIn: true },
    ...Object.entries(ofSmall).map(([name, path]) => ({ name, by: /** @type {const} */ ('small'), path })),
    ...Object.entries(ofLarge).map(([name, path]) => ({ name, by: /** @type {const} */ ('large'), path })),
    { name: 'pricing', by: 'nobody', path: '/api/pricing' },
    { name: `models, all ${CATALOGUE_MODELS}`, by: 'nobody', path: `/api/models?limit=${PAGE_ROWS}` },
    { name: 'one model', by: 'nobody', path: '/api/models/sandbox-1' },
  ];
}
