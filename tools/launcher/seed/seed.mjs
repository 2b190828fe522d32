import { createHash } from 'node:crypto';
import { ApiError, createApi } from './api-client.mjs';
import { runNode } from '../processes/child-processes.mjs';
import { gpuPrices, modelPrices, trainingPrice, USD_PER_YUAN } from './price-list.mjs';

/**
 * Seeds a new site: two accounts with an API key each, published prices, credit, model packages and a workspace.
 * Everything goes through the product's API. Each step records its completion in the secrets file: an interrupted start
 * resumes there, and a completed step does not overwrite later changes of the operator. Each step is idempotent, in case
 * its record was lost.
 */

/** Of a key and of a workspace. */
const NAMES = { intl: 'Made at the first start', cn: '首次启动时创建' };
const CREDIT_DESCRIPTIONS = { intl: 'Credit to try the platform with', cn: '平台体验额度' };
const CREDIT = 25;
const PACKAGE_VERSION = '1.0.0';
/** One for each model of the sandbox engine that answers with text or vectors. */
const PACKAGES = [
  { slug: 'sandbox-chat', name: 'Sandbox chat', about: 'the sandbox engine generates random words.' },
  { slug: 'sandbox-mini', name: 'Sandbox mini', about: 'the sandbox engine generates random words.' },
  { slug: 'sandbox-embed', name: 'Sandbox embed', about: 'the sandbox engine generates random vectors.' },
];

/** The content must agree with what the first start creates. */
const WORKSPACE_DOCUMENTS = {
  intl: {
    title: 'About this site',
    text: `The first start makes two accounts, a demo account and an administrator, with an API key each.

The demo account begins with a credit of 25 dollars, so that models can be called at once. Whatever a model is asked is charged to it, and shown among its transactions.

This workspace belongs to the demo account. It holds this document, and has one key that may read it.

Ctrl-C stops everything. The data stay until their folder is removed.
`,
  },
  cn: {
    title: '关于本站点',
    text: `首次启动会创建两个账户：演示账户和管理员账户，各有一个 API 密钥。

演示账户的初始额度为 25 元，可以立即调用模型。每次调用模型的费用都从该账户扣除，并显示在交易记录中。

这个知识库属于演示账户，其中有这份文档，以及一个可以读取文档的密钥。

按 Ctrl-C 会停止全部服务。数据会一直保留，直到数据文件夹被删除。
`,
  },
};

/**
 * @typedef {object} Context
 * @property {string} root
 * @property {import('../settings.mjs').Settings} settings
 * @property {import('../services/services.mjs').Description} console
 * @property {import('../services/services.mjs').Description} memo
 * @property {import('../secrets.mjs').Secrets} secrets
 * @property {() => void} save
 * @property {string[] | null} engineModels
 * @property {AbortSignal} signal
 *
 * @typedef {import('./api-client.mjs').Api} Api
 * @typedef {import('../secrets.mjs').Account} Account
 * @typedef {{ token: string, user: { id: string } }} Session
 * @typedef {() => Promise<Session>} SignIn
 */

/** Requires a migrated database. @param {Context} context */
export async function seedAccounts({ root, console: { env }, secrets, save, signal }) {
  if (secrets.seeded.accounts) return;
  const wanted = [
    { ...secrets.accounts.demo, role: 'user' },
    { ...secrets.accounts.admin, role: 'admin' },
  ];
  for (const { identifier, password, role } of wanted) {
    const args = ['dist/apps/console/src/commands/create-account.js', '--email', identifier, '--role', role];
    await runNode(args, { cwd: root, env, input: password, signal });
  }
  secrets.seeded.accounts = true;
  save();
}

/** @param {Api} api @param {Account} account @returns {SignIn} signs in at its first call, and returns that session again */
function signIn(api, { identifier, password }) {
  /** @type {Promise<Session> | undefined} */
  let session;
  return () => (session ??= api('POST', '/api/auth/login', { body: { identifier, password } }));
}

/**
 * Replaces the key if an interrupted start has created but not saved it: the API shows a key only once.
 * @param {Api} api
 * @param {SignIn} session
 * @param {Account} account
 * @param {Context} context
 */
async function seedApiKey(api, session, account, { settings, save }) {
  if (account.apiKey) return;
  const { token } = await session();
  /** @type {{ api_keys: { id: string, name: string }[] }} */
  const { api_keys: keys } = await api('GET', '/api/api-keys', { token });
  for (const { id } of keys.filter(({ name }) => name === NAMES[settings.site])) {
    await api('DELETE', `/api/api-keys/${encodeURIComponent(id)}`, { token });
  }
  /** @type {{ key: string }} */
  const { key } = await api('POST', '/api/api-keys', { token, body: { name: NAMES[settings.site] } });
  account.apiKey = key;
  save();
}

/** Prices that somebody has published stay. @param {Api} api @param {SignIn} admin @param {Context} context */
async function seedModelPrices(api, admin, { settings, engineModels, secrets, save }) {
  const { seeded } = secrets;
  const wanted = modelPrices(settings.site, engineModels).filter(({ slug }) => !seeded.models.includes(slug));
  if (wanted.length === 0) return;
  /** @type {{ models: import('./price-list.mjs').ModelPrice[] }} */
  const { models: published } = await api('GET', '/api/pricing');
  const added = wanted.filter(({ slug }) => !published.some((row) => row.slug === slug));
  if (added.length > 0) {
    const { token } = await admin();
    await api('PATCH', '/api/admin/billing/pricing/models', { token, body: { models: added } });
  }
  seeded.models.push(...new Set(wanted.map(({ slug }) => slug)));
  save();
}

/** @param {Api} api @param {SignIn} admin @param {Context} context */
async function seedExchangeRate(api, admin, { settings, secrets, save }) {
  if (settings.site !== 'cn' || secrets.seeded.exchangeRate) return;
  const { token } = await admin();
  const rates = [{ date: new Date().toISOString().slice(0, 10), usd_per_unit: USD_PER_YUAN }];
  await api('PUT', '/api/admin/billing/exchange-rates', { token, body: { rates } });
  secrets.seeded.exchangeRate = true;
  save();
}

/** @param {Api} api @param {SignIn} admin @param {Context} context */
async function seedGpuPrices(api, admin, { settings, secrets, save }) {
  if (secrets.seeded.gpus) return;
  const { token } = await admin();
  await api('PUT', '/api/admin/billing/pricing/gpus', { token, body: { gpus: gpuPrices(settings.site) } });
  secrets.seeded.gpus = true;
  save();
}

/** A site of an earlier version has the price already. @param {Api} api @param {SignIn} admin @param {Context} context */
async function seedTrainingPrice(api, admin, { settings, secrets, save }) {
  if (secrets.seeded.trainingPrice) return;
  const { token } = await admin();
  const path = '/api/admin/billing/pricing/training';
  /** @type {{ training: object | null }} */
  const { training } = await api('GET', path, { token });
  if (training === null) await api('PUT', path, { token, body: trainingPrice(settings.site) });
  secrets.seeded.trainingPrice = true;
  save();
}

/**
 * The fixed idempotency key ensures that repeated attempts credit the account only once.
 * @param {Api} api
 * @param {SignIn} admin
 * @param {SignIn} demo
 * @param {Context} context
 */
async function seedCredit(api, admin, demo, { settings, secrets, save }) {
  if (secrets.seeded.credit) return;
  const { user } = await demo();
  const { token } = await admin();
  await api('POST', '/api/admin/billing/adjustments', {
    token,
    headers: { 'Idempotency-Key': `first-start-credit-${settings.site}` },
    body: { account_id: user.id, amount: CREDIT, description: CREDIT_DESCRIPTIONS[settings.site] },
  });
  secrets.seeded.credit = true;
  save();
}

/** @param {Api} api @param {SignIn} admin @param {Context} context */
async function seedPackages(api, admin, { settings, secrets, save }) {
  if (settings.engine) return;
  for (const sample of PACKAGES.filter(({ slug }) => !secrets.seeded.packages.includes(slug))) {
    await publishPackage(api, (await admin()).token, sample);
    secrets.seeded.packages.push(sample.slug);
    save();
  }
}

/** The digest lets the console recognize a repeated upload. @param {Api} api @param {string} token @param {(typeof PACKAGES)[number]} sample */
async function publishPackage(api, token, { slug, name, about }) {
  const content = `This package contains no weights: ${about}\n`;
  const digest = createHash('sha256').update(content).digest('base64');
  const file = `${slug}-${PACKAGE_VERSION}.txt`;
  await api('PUT', `/api/admin/models/${slug}/packages/${PACKAGE_VERSION}?file_name=${file}`, {
    token,
    bytes: Buffer.from(content),
    headers: { 'Content-Digest': `sha-256=:${digest}:` },
  });
  const description = `A package to try downloads with. It contains no weights: ${about}`;
  const body = { name, description, version: PACKAGE_VERSION };
  await api('PUT', `/api/admin/models/${slug}`, { token, body });
}

/** Reuses what an interrupted start has created, but replaces its key. @param {SignIn} demo @param {Context} context */
async function seedWorkspace(demo, { settings, secrets: { memo }, memo: { url }, save, signal }) {
  if (memo.apiKey) return;
  const api = createApi(`${url}/v1/workspaces`, signal);
  // An account of an earlier version may have another password by now. Such a site needs no sample workspace.
  const session = await demo().catch((/** @type {unknown} */ error) => {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  });
  if (!session) return;
  const { token } = session;
  /** @type {{ workspaces: { id: string, name: string }[] }} */
  const { workspaces } = await api('GET', '', { token });
  const firstName = NAMES[settings.site];
  const found = workspaces.find(({ name }) => name === firstName);
  /** @type {{ id: string }} */
  const { id } = found ?? (await api('POST', '', { token, body: { name: firstName } }));
  const document = { ...WORKSPACE_DOCUMENTS[settings.site], external_id: 'first-start' };
  await api('POST', `/${id}/documents`, { token, body: document });
  /** @type {{ keys: { id: string, name: string }[] }} */
  const { keys } = await api('GET', `/${id}/keys`, { token });
  for (const key of keys.filter(({ name }) => name === firstName))
    await api('DELETE', `/${id}/keys/${key.id}`, { token });
  /** @type {{ key: string }} */
  const { key } = await api('POST', `/${id}/keys`, { token, body: { name: firstName } });
  Object.assign(memo, { workspaceId: id, apiKey: key });
  save();
}

/** Requires a running console and memo service. @param {Context} context */
export async function seedSite(context) {
  const { accounts } = context.secrets;
  const api = createApi(context.console.url, context.signal);
  const demo = signIn(api, accounts.demo);
  const admin = signIn(api, accounts.admin);
  await seedApiKey(api, demo, accounts.demo, context);
  await seedApiKey(api, admin, accounts.admin, context);
  await seedExchangeRate(api, admin, context);
  await seedModelPrices(api, admin, context);
  await seedGpuPrices(api, admin, context);
  await seedTrainingPrice(api, admin, context);
  await seedCredit(api, admin, demo, context);
  await seedPackages(api, admin, context);
  await seedWorkspace(demo, context);
}
