import path from 'node:path';
import { writePrivateJson } from './secrets.mjs';
import { databaseUrl } from './services.mjs';

/** Tells where everything is: to scripts in platform.json, to people on the screen. */

const CURRENCIES = { intl: 'USD', cn: 'CNY' };
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
 *   services: import('./services.mjs').Description[], engineModels: string[] | null }} Running
 */

/** @param {Running} running */
export function writePlatformFile({ settings, secrets, services }) {
  const url = (name) => services.find((service) => service.name === name)?.url;
  const account = ({ identifier, password, apiKey }) => ({ identifier, password, apiKey });
  writePrivateJson(path.join(settings.dataDir, 'platform.json'), {
    site: settings.site,
    urls: Object.fromEntries(Object.entries(URL_KEYS).map(([name, key]) => [key, url(name)])),
    accounts: { demo: account(secrets.accounts.demo), admin: account(secrets.accounts.admin) },
    database: { url: databaseUrl('postgres', secrets.databasePassword, settings.ports.postgres) },
    sandbox: {
      engine: url('sandbox-engine'),
      mail: settings.mailFolder ?? undefined,
      oidc: url('sandbox-oidc'),
    },
  });
}

/** @param {string[][]} rows @returns {string[]} lines with the columns below one another */
function columns(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column])).join('  ')}`.trimEnd(),
  );
}

/** @param {Running} running @returns {string} */
export function describeRunning({ settings, secrets, services, engineModels }) {
  const { site, dataDir, engine, mailFolder, ports } = settings;
  const { demo, admin } = secrets.accounts;
  const gateway = services.find(({ name }) => name === 'gateway').url;
  const model = engineModels ? engineModels[0] : 'sandbox-chat';
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] });
  return [
    '',
    `The platform is running: site ${site}, prices in ${CURRENCIES[site]}.`,
    '',
    ...columns([
      ...services.map(({ name, url }) => [name, url]),
      ...(engine ? [['engine', engine.url]] : []),
      ['postgres', `127.0.0.1:${ports.postgres}`],
    ]),
    '',
    ...columns([
      ['account', 'identifier', 'password', 'API key'],
      ['demo', demo.identifier, demo.password, demo.apiKey],
      ['admin', admin.identifier, admin.password, admin.apiKey],
    ]),
    '',
    `  all of this for scripts   ${path.join(dataDir, 'platform.json')}`,
    `  what each service logs    ${path.join(dataDir, 'logs')}/<name>.log`,
    ...(mailFolder ? [`  mails that were sent      ${mailFolder}`] : []),
    '',
    'Try it:',
    '',
    `  curl ${gateway}/v1/chat/completions \\`,
    `    -H 'Authorization: Bearer ${demo.apiKey}' \\`,
    "    -H 'Content-Type: application/json' \\",
    `    -d '${body.replaceAll("'", String.raw`'\''`)}'`,
    '',
    'Ctrl-C stops everything; the data stay.',
    '',
  ].join('\n');
}
