import net from 'node:net';
import path from 'node:path';
import { codeOf } from '../setup/errors.mjs';

/**
 * The settings of `npm start`, from environment variables.
 *
 * @typedef {'intl' | 'cn'} Site
 *
 * @typedef {object} Engine a model server to use instead of the sandbox
 * @property {string} url with the path of its OpenAI endpoints, `/v1` as a rule
 * @property {string | undefined} apiKey
 * @property {string[] | undefined} models to publish a price for; if absent, the models that the engine lists
 *
 * @typedef {object} Settings
 * @property {Site} site
 * @property {string} dataDir absolute
 * @property {Ports} ports without those of sandboxes that are not started
 * @property {Record<AppName, number>} metricsPorts
 * @property {Engine | null} engine
 * @property {number} tokensPerSecond the pace of the sandbox engine's streams; 0 for no delay
 * @property {string | null} storageFolder absolute, for model packages and archived usage; null if the environment configures the storage
 * @property {string | null} backupDir absolute, for backups of the database; null if it is not backed up
 * @property {boolean} archivesUsage whether old usage events are moved to the storage
 * @property {string | null} mailFolder absolute, for mails of the console; null if SMTP_URL names a mail server
 * @property {string} logLevel
 *
 * @typedef {'console' | 'training' | 'router-cost' | 'agent' | 'memo' | 'agent-environments' | 'gateway'} AppName
 * @typedef {'sandbox-engine' | 'sandbox-oidc' | 'sandbox-payments' | 'sandbox-code-host'} SandboxName
 * @typedef {Record<AppName | 'postgres', number> & Partial<Record<SandboxName, number>>} Ports
 */

/** The port of each process, relative to PORT_BASE. */
const PORT_OFFSETS = {
  console: 0,
  training: 1,
  'router-cost': 2,
  agent: 3,
  memo: 4,
  'agent-environments': 5,
  gateway: 6,
  'sandbox-engine': 10,
  'sandbox-oidc': 11,
  'sandbox-payments': 12,
  'sandbox-code-host': 13,
  postgres: 20,
};
/** The ports of the metrics of the services, relative to the services' own. */
const METRICS_OFFSET = 50;
/** @type {AppName[]} */
const APPS = ['console', 'training', 'router-cost', 'agent', 'memo', 'agent-environments', 'gateway'];
/** About what a hosted model generates, so that a person sees a stream. */
const DEFAULT_TOKENS_PER_SECOND = '50';
/** The sandbox engine's limit. */
const HIGHEST_TOKENS_PER_SECOND = 1_000;
/** Any of these variables configures an external payment provider; the sandbox is not started then. */
const PAYMENT_SETTINGS = { intl: /^STRIPE_/, cn: /^(WECHAT_PAY|ALIPAY)_/ };
/** Any of these variables configures an external code host; the sandbox is not started then. */
const CODE_HOST_SETTINGS = /^(RELEASE_REPOSITORIES$|CODE_HOST_)/;
const HIGHEST_OFFSET = METRICS_OFFSET + Math.max(...APPS.map((name) => PORT_OFFSETS[name]));
const PORT_NAMES = /** @type {(keyof typeof PORT_OFFSETS)[]} */ (Object.keys(PORT_OFFSETS));
/** @type {Site[]} */
const SITES = ['intl', 'cn'];
/** Browsers and `fetch` refuse to connect to these ports (WHATWG Fetch, "port blocking"). */
const BLOCKED_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
]);
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Lists all problems that prevent the start. @param {string} title @param {string[]} faults */
const startError = (title, faults) =>
  new Error(`${title}\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);

/** @param {string} text @param {string[]} faults gets a message if the value is invalid @returns {number} NaN if invalid */
function readPortBase(text, faults) {
  const base = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  const highest = 65535 - HIGHEST_OFFSET;
  if (base >= 1 && base <= highest) return base;
  faults.push(`PORT_BASE must be a whole number between 1 and ${highest}, not ${JSON.stringify(text)}`);
  return NaN;
}

/** @param {NodeJS.ProcessEnv} environment @param {string[]} faults gets a message for each problem @returns {Engine | null} */
function readEngine({ ENGINE_URL, ENGINE_API_KEY, ENGINE_MODELS }, faults) {
  if (!ENGINE_URL) {
    for (const [name, value] of Object.entries({ ENGINE_API_KEY, ENGINE_MODELS })) {
      if (value) faults.push(`${name} requires ENGINE_URL, which is not set`);
    }
    return null;
  }
  const models = ENGINE_MODELS?.split(',').map((model) => model.trim());
  if (models?.some((model) => model === '')) {
    faults.push('ENGINE_MODELS must be a comma-separated list of model names');
  }
  if (!URL.canParse(ENGINE_URL) || !/^https?:$/.test(new URL(ENGINE_URL).protocol)) {
    faults.push(`ENGINE_URL must be a URL like http://127.0.0.1:8000/v1, not ${JSON.stringify(ENGINE_URL)}`);
    return null;
  }
  const hasPath = new URL(ENGINE_URL).pathname !== '/';
  const url = `${ENGINE_URL.replace(/\/+$/, '')}${hasPath ? '' : '/v1'}`;
  return { url, apiKey: ENGINE_API_KEY, models };
}

/** @param {string} text @param {string[]} faults gets a message if the value is invalid @returns {number} NaN if invalid */
function readTokensPerSecond(text, faults) {
  const tokens = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (tokens <= HIGHEST_TOKENS_PER_SECOND) return tokens;
  faults.push(
    `ENGINE_TOKENS_PER_SECOND must be a number from 0 to ${HIGHEST_TOKENS_PER_SECOND}, not ${JSON.stringify(text)}`,
  );
  return NaN;
}

/**
 * @param {NodeJS.ProcessEnv} environment an empty variable counts as absent
 * @param {string} root of the workspace; a relative DATA_DIR or BACKUP_DIR is relative to it
 * @returns {Settings}
 * @throws an error that lists all invalid settings
 */
export function readSettings(environment, root) {
  /** @type {NodeJS.ProcessEnv} */
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const {
    SITE = 'intl',
    PORT_BASE = '3000',
    DATA_DIR = '.data',
    LOG_LEVEL: logLevel = 'info',
    ENGINE_TOKENS_PER_SECOND = DEFAULT_TOKENS_PER_SECOND,
    SMTP_URL,
    OAUTH_PROVIDERS,
    USAGE_EVENTS_RETENTION_MONTHS,
    BACKUP_DIR,
  } = present;
  /** @type {string[]} */
  const faults = [];
  if (process.platform === 'win32') {
    faults.push('Windows is supported only under WSL (Windows Subsystem for Linux)');
  }
  const site = SITES.find((name) => name === SITE);
  if (!site) faults.push(`SITE must be intl or cn, not ${JSON.stringify(SITE)}`);
  if (!LOG_LEVELS.includes(logLevel)) {
    faults.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not ${JSON.stringify(logLevel)}`);
  }
  const base = readPortBase(PORT_BASE, faults);
  const engine = readEngine(present, faults);
  const tokensPerSecond = readTokensPerSecond(ENGINE_TOKENS_PER_SECOND, faults);
  if (!site || faults.length > 0) throw startError('These settings are invalid:', faults);
  /** @type {Ports} */
  const ports = { ...PORT_OFFSETS };
  for (const name of PORT_NAMES) ports[name] = base + PORT_OFFSETS[name];
  if (engine) delete ports['sandbox-engine'];
  if (OAUTH_PROVIDERS) delete ports['sandbox-oidc'];
  /** @param {RegExp} pattern */
  const isAnySet = (pattern) => Object.keys(present).some((name) => pattern.test(name));
  if (isAnySet(PAYMENT_SETTINGS[site])) delete ports['sandbox-payments'];
  if (isAnySet(CODE_HOST_SETTINGS)) delete ports['sandbox-code-host'];
  const metricsPorts = /** @type {Record<AppName, number>} */ (
    Object.fromEntries(APPS.map((name) => [name, ports[name] + METRICS_OFFSET]))
  );
  const dataDir = path.resolve(root, DATA_DIR);
  return {
    site,
    dataDir,
    ports,
    metricsPorts,
    engine,
    tokensPerSecond,
    storageFolder: storageFolderOf(present, dataDir),
    backupDir: BACKUP_DIR ? path.resolve(root, BACKUP_DIR) : null,
    archivesUsage: Boolean(USAGE_EVENTS_RETENTION_MONTHS),
    mailFolder: SMTP_URL ? null : path.join(dataDir, 'mail'),
    logLevel,
  };
}

/**
 * @param {NodeJS.ProcessEnv} environment
 * @param {string} dataDir
 * @returns {string | null} the folder of the storage; null if the environment configures the storage
 */
export function storageFolderOf({ S3_BUCKET, STORAGE_FOLDER }, dataDir) {
  return S3_BUCKET || STORAGE_FOLDER ? null : path.join(dataDir, 'storage');
}

/** @param {number} port @returns {Promise<string | null>} the error code of an attempt to listen on it; null if it succeeds */
function portFault(port) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.on('error', (error) => resolve(codeOf(error) ?? error.message));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(null)));
  });
}

/** @param {Settings} settings @throws an error that lists all ports that cannot be used */
export async function checkPorts({ ports, metricsPorts }) {
  const faults = [];
  const metrics = Object.entries(metricsPorts).map(
    ([name, port]) => /** @type {const} */ ([`metrics of ${name}`, port]),
  );
  for (const [name, port] of [...Object.entries(ports), ...metrics]) {
    if (BLOCKED_PORTS.has(port)) {
      faults.push(`port ${port} (for ${name}) is blocked by browsers and fetch`);
      continue;
    }
    const code = await portFault(port);
    if (code === 'EADDRINUSE') faults.push(`port ${port} (for ${name}) is taken by another program`);
    else if (code) faults.push(`port ${port} (for ${name}) cannot be used: ${code}`);
  }
  if (faults.length === 0) return;
  const example = ports.console < 4000 ? 4000 : 3000;
  faults.push(`to use other ports, set PORT_BASE: PORT_BASE=${example} npm start`);
  throw startError('Some of the required ports are not available:', faults);
}
