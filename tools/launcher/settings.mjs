import net from 'node:net';
import path from 'node:path';

/**
 * What `npm start` is told by its environment.
 *
 * @typedef {object} Engine a model server to use instead of the sandbox
 * @property {string} url with the path of its OpenAI endpoints, `/v1` as a rule
 * @property {string | undefined} apiKey
 * @property {string[] | undefined} models those to publish a price for; what the engine lists when absent
 *
 * @typedef {object} Settings
 * @property {'intl' | 'cn'} site
 * @property {string} dataDir absolute
 * @property {Record<PortName, number>} ports
 * @property {Engine | null} engine
 * @property {string | null} storageFolder absolute, of model packages; null when they are kept elsewhere
 * @property {string | null} mailFolder absolute, of what the console sends; null when a mail server takes it
 * @property {string} logLevel
 *
 * @typedef {'console' | 'training' | 'router-cost' | 'agent' | 'memo' | 'agent-environments' | 'gateway' |
 *   'sandbox-engine' | 'sandbox-oidc' | 'sandbox-payments' | 'sandbox-code-host' |
 *   'postgres'} PortName
 */

/** What each part listens on, counted from PORT_BASE. */
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
/** Who is told any of these has a payment provider of their own. */
const PAYMENT_SETTINGS = { intl: /^STRIPE_/, cn: /^(WECHAT_PAY|ALIPAY)_/ };
/** Who is told any of these follows releases elsewhere. */
const CODE_HOST_SETTINGS = /^(RELEASE_REPOSITORIES$|CODE_HOST_)/;
const HIGHEST_OFFSET = Math.max(...Object.values(PORT_OFFSETS));
/** fetch and browsers refuse to talk to these (WHATWG Fetch, "port blocking"), so nobody could use what listens there. */
const BLOCKED_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
]);
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Thrown when the start cannot go ahead; names every fault at once. */
export class Faults extends Error {
  /** @param {string} title @param {string[]} faults */
  constructor(title, faults) {
    super(`${title}\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/** @returns {number} NaN, and a fault, when it is not usable */
function readPortBase(text, faults) {
  const base = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  const highest = 65535 - HIGHEST_OFFSET;
  if (base >= 1 && base <= highest) return base;
  faults.push(`PORT_BASE must be a whole number between 1 and ${highest}, not ${JSON.stringify(text)}`);
  return NaN;
}

/** @returns {Engine | null} */
function readEngine({ ENGINE_URL, ENGINE_API_KEY, ENGINE_MODELS }, faults) {
  if (!ENGINE_URL) {
    for (const [name, value] of Object.entries({ ENGINE_API_KEY, ENGINE_MODELS })) {
      if (value) faults.push(`${name} is set, but ENGINE_URL, which it belongs to, is not`);
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

/**
 * @param {NodeJS.ProcessEnv} environment an empty variable counts as absent
 * @param {string} root of the workspace, which a relative DATA_DIR starts from
 * @returns {Settings}
 */
export function readSettings(environment, root) {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const {
    SITE: site = 'intl',
    PORT_BASE = '3000',
    DATA_DIR = '.data',
    LOG_LEVEL: logLevel = 'info',
    SMTP_URL,
    OAUTH_PROVIDERS,
    S3_BUCKET,
    STORAGE_FOLDER,
  } = present;
  const faults = [];
  if (process.platform === 'win32') {
    faults.push('Windows itself is not supported; under WSL (Windows Subsystem for Linux) it works');
  }
  if (site !== 'intl' && site !== 'cn') faults.push(`SITE must be intl or cn, not ${JSON.stringify(site)}`);
  if (!LOG_LEVELS.includes(logLevel)) {
    faults.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not ${JSON.stringify(logLevel)}`);
  }
  const base = readPortBase(PORT_BASE, faults);
  const engine = readEngine(present, faults);
  if (faults.length > 0) throw new Faults('These settings cannot be used:', faults);
  const ports = Object.fromEntries(
    Object.entries(PORT_OFFSETS).map(([name, offset]) => [name, base + offset]),
  );
  if (engine) delete ports['sandbox-engine'];
  if (OAUTH_PROVIDERS) delete ports['sandbox-oidc'];
  const isToldAny = (pattern) => Object.keys(present).some((name) => pattern.test(name));
  if (isToldAny(PAYMENT_SETTINGS[site])) delete ports['sandbox-payments'];
  if (isToldAny(CODE_HOST_SETTINGS)) delete ports['sandbox-code-host'];
  const dataDir = path.resolve(root, DATA_DIR);
  return {
    site,
    dataDir,
    ports,
    engine,
    storageFolder: S3_BUCKET || STORAGE_FOLDER ? null : path.join(dataDir, 'storage'),
    mailFolder: SMTP_URL ? null : path.join(dataDir, 'mail'),
    logLevel,
  };
}

/** @param {number} port @returns {Promise<string | null>} why it cannot be listened on, null when it can */
function portFault(port) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.on('error', ({ code }) => resolve(code));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(null)));
  });
}

/** @param {Settings['ports']} ports throws when one of them is not to be had */
export async function checkPorts(ports) {
  const faults = [];
  for (const [name, port] of Object.entries(ports)) {
    if (BLOCKED_PORTS.has(port)) {
      faults.push(`port ${port} (for ${name}) is one that browsers and fetch refuse`);
      continue;
    }
    const code = await portFault(port);
    if (code === 'EADDRINUSE') faults.push(`port ${port} (for ${name}) is taken by another program`);
    else if (code) faults.push(`port ${port} (for ${name}) cannot be used here: ${code}`);
  }
  if (faults.length === 0) return;
  const example = ports.console < 4000 ? 4000 : 3000;
  faults.push(`to use other ports, set PORT_BASE: PORT_BASE=${example} npm start`);
  throw new Faults('The ports that are needed are not all free:', faults);
}
