import path from 'node:path';
import { writeJson } from '../setup/state-file.mjs';
import { databaseUrl } from './services/services.mjs';

/** Describes the running site: in platform.json for scripts, on the screen for people. */

const CURRENCIES = { intl: 'USD', cn: 'CNY' };
const TOPUP_PROVIDERS = { intl: 'card_provider', cn: 'wallet_pay_provider' };
const TOPUP_AMOUNT = 50;
/** Questions that the document of the first start answers. */
const QUESTIONS = {
  intl: 'How much credit does the demo account begin with?',
  cn: '演示账户的初始额度是多少？',
};
const URL_KEYS = {
  console: 'console',
  training: 'training',
  'router-cost': 'routerCost',
  agent: 'agent',
  memo: 'memo',
  'agent-environments': 'agentEnvironments',
  gateway: 'gateway',
};

/**
 * @typedef {{ settings: import('./settings.mjs').Settings, secrets: import('./secrets.mjs').Secrets,
 *   services: import('./services/services.mjs').Description[], engineModels: string[] | null }} Running
 */

/** @param {Running} running */
export function writePlatformFile({ settings, secrets, services }) {
  /** @param {string} name */
  const url = (name) => services.find((service) => service.name === name)?.url;
  /** @param {import('./secrets.mjs').Account} account */
  const account = ({ identifier, password, apiKey }) => ({ identifier, password, apiKey });
  writeJson(path.join(settings.dataDir, 'platform.json'), {
    site: settings.site,
    urls: Object.fromEntries(Object.entries(URL_KEYS).map(([name, key]) => [key, url(name)])),
    accounts: { demo: account(secrets.accounts.demo), admin: account(secrets.accounts.admin) },
    memo: secrets.memo,
    database: { url: databaseUrl('postgres', secrets.databasePassword, settings.ports.postgres) },
    backup_dir: settings.backupDir ?? undefined,
    sandbox: {
      code_host: url('sandbox-code-host'),
      engine: url('sandbox-engine'),
      mail: settings.mailFolder ?? undefined,
      oidc: url('sandbox-oidc'),
      payments: url('sandbox-payments'),
    },
  });
}

/** @param {string[][]} rows @returns {string[]} lines with aligned columns */
function columns(rows) {
  /** @param {number} column */
  const widthOf = (column) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widthOf(column))).join('  ')}`.trimEnd(),
  );
}

/** @param {string} text @returns {string} in single quotes, for a shell */
const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/**
 * @param {Running['settings']['site']} site
 * @param {import('./secrets.mjs').Account} account
 * @param {{ console?: string, sandbox: string }} urls
 * @returns {string[]} lines
 */
function describeTopup(site, { identifier, password }, urls) {
  const login = JSON.stringify({ identifier, password });
  const payment = JSON.stringify({ provider: TOPUP_PROVIDERS[site], amount: TOPUP_AMOUNT });
  return [
    `Top up with the payment sandbox at ${urls.sandbox}, which takes no real money:`,
    '',
    `  TOKEN=$(curl -s ${urls.console}/api/auth/login -H 'Content-Type: application/json' \\`,
    `    -d ${quoted(login)} | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`,
    `  curl ${urls.console}/api/billing/payments -H "Authorization: Bearer $TOKEN" \\`,
    `    -H 'Content-Type: application/json' -d ${quoted(payment)}`,
    '',
    `  Then pay on the checkout page of the response, or: curl -X POST ${urls.sandbox}/orders/<id>/pay`,
    '',
  ];
}

/**
 * @param {Running['settings']['site']} site
 * @param {import('./secrets.mjs').Secrets['memo']} memo
 * @param {string | undefined} url
 */
const describeWorkspace = (site, { workspaceId, apiKey }, url) => [
  `  curl -N ${url}/v1/workspaces/${workspaceId}/chat \\`,
  `    -H 'X-API-Key: ${apiKey}' \\`,
  "    -H 'Content-Type: application/json' \\",
  `    -d ${quoted(JSON.stringify({ query: QUESTIONS[site] }))}`,
  '',
];

/** @param {Running} running @returns {string} */
export function describeRunning({ settings, secrets, services, engineModels }) {
  const { site, dataDir, backupDir, engine, mailFolder, ports, metricsPorts } = settings;
  const { demo, admin } = secrets.accounts;
  /** @param {string} name */
  const url = (name) => services.find((service) => service.name === name)?.url;
  /** @param {string} name */
  const metricsOf = (name) => {
    const port = Object.entries(metricsPorts).find(([app]) => app === name)?.[1];
    return port === undefined ? '' : `metrics: http://127.0.0.1:${port}/metrics`;
  };
  const gateway = url('gateway');
  const sandbox = url('sandbox-payments');
  const model = engineModels ? engineModels[0] : 'sandbox-chat';
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] });
  return [
    '',
    `Open ${url('console')} in a browser.`,
    '',
    `The platform is running: site ${site}, prices in ${CURRENCIES[site]}.`,
    '',
    ...columns([
      ...services.map(({ name, url }) => [name, url, metricsOf(name)]),
      ...(engine ? [['engine', engine.url]] : []),
      ['postgres', `127.0.0.1:${ports.postgres}`],
    ]),
    '',
    ...columns([
      ['account', 'identifier', 'password', 'API key'],
      ['demo', demo.identifier, demo.password, demo.apiKey ?? ''],
      ['admin', admin.identifier, admin.password, admin.apiKey ?? ''],
    ]),
    '',
    `  for scripts   ${path.join(dataDir, 'platform.json')}`,
    `  logs          ${path.join(dataDir, 'logs')}/<name>.log`,
    ...(backupDir ? [`  backups       ${backupDir}`] : []),
    ...(mailFolder ? [`  sent mails    ${mailFolder}`] : []),
    '',
    'Try it:',
    '',
    `  curl ${gateway}/v1/chat/completions \\`,
    `    -H 'Authorization: Bearer ${demo.apiKey}' \\`,
    "    -H 'Content-Type: application/json' \\",
    `    -d ${quoted(body)}`,
    '',
    ...(secrets.memo.apiKey ? describeWorkspace(site, secrets.memo, url('memo')) : []),
    ...(sandbox ? describeTopup(site, demo, { console: url('console'), sandbox }) : []),
    'Ctrl-C stops everything and keeps the data.',
    '',
  ].join('\n');
}
