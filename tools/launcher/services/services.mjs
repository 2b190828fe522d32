import path from 'node:path';
import { SANDBOX_MODELS } from '../seed/price-list.mjs';
import { codeHostEnvironment, paymentEnvironment } from './sandboxes.mjs';

/**
 * The services of a site and their environment variables.
 *
 * @import { Settings } from '../settings.mjs'
 * @import { Secrets } from '../secrets.mjs'
 *
 * @typedef {object} Description
 * @property {string} name of the app, also of its log
 * @property {string} entry script, relative to the workspace
 * @property {string} url without a trailing slash
 * @property {NodeJS.ProcessEnv} env
 */

const HOST = '127.0.0.1';
const OIDC_PROVIDER = 'sandbox';
const OIDC_CLIENT_ID = 'inference-platform';
/** The first site of a machine has the plain names of cookies. */
const DEFAULT_CONSOLE_PORT = 3000;
/** Where the build puts the console's pages, relative to the workspace. */
const CONSOLE_UI_FOLDER = 'dist/apps/console-ui';
const TRAINING_QUOTA_TOKENS = 10_000_000;
const SITE_NAMES = { intl: 'Inference Platform', cn: 'Inference Platform China' };

/** @param {number} port */
const urlOf = (port) => `http://${HOST}:${port}`;

/**
 * @param {string} role
 * @param {string} password
 * @param {number} port
 * @param {string} [database] the product's, unless given
 */
export const databaseUrl = (role, password, port, database = 'platform') =>
  `postgres://${role}:${encodeURIComponent(password)}@${HOST}:${port}/${database}`;

/**
 * The gateway's model servers with the models that they have, so that no other priced model is offered.
 * @param {Settings} settings
 * @param {string[] | null} engineModels
 * @returns {object[]}
 */
function upstreams({ engine, ports }, engineModels) {
  if (engine) {
    return [{ name: 'engine', base_url: engine.url, api_key: engine.apiKey, models: engineModels ?? [] }];
  }
  const port = ports['sandbox-engine'];
  if (port === undefined) return [];
  return [{ name: 'sandbox', base_url: `${urlOf(port)}/v1`, models: SANDBOX_MODELS }];
}

/**
 * The console's mail folder, login providers, payment providers and code host, unless the environment configures them.
 * @param {Settings} settings
 * @param {Secrets} secrets
 * @returns {NodeJS.ProcessEnv}
 */
function outsideSystems({ site, ports, mailFolder }, { oidcClientSecret, payments }) {
  return {
    ...(mailFolder && { MAIL_FOLDER: mailFolder }),
    ...(ports['sandbox-oidc'] && oauthProvider(ports['sandbox-oidc'], oidcClientSecret)),
    ...(ports['sandbox-payments'] &&
      payments &&
      paymentEnvironment(payments, urlOf(ports['sandbox-payments']))),
    ...(ports['sandbox-code-host'] && codeHostEnvironment(site, urlOf(ports['sandbox-code-host']))),
  };
}

/** @param {number} port of the sandbox @param {string} oidcClientSecret */
function oauthProvider(port, oidcClientSecret) {
  const provider = {
    name: OIDC_PROVIDER,
    issuer: urlOf(port),
    client_id: OIDC_CLIENT_ID,
    client_secret: oidcClientSecret,
  };
  return { OAUTH_PROVIDERS: JSON.stringify([provider]) };
}

/**
 * The console's storage for model packages, unless the environment configures it.
 * @param {Settings} settings
 * @param {Secrets} secrets
 * @returns {NodeJS.ProcessEnv}
 */
function storage({ storageFolder }, { downloadLinkSecrets }) {
  const { S3_BUCKET, DOWNLOAD_LINK_SECRETS } = process.env;
  return {
    ...(storageFolder && { STORAGE_FOLDER: storageFolder }),
    ...(!S3_BUCKET && { DOWNLOAD_LINK_SECRETS: DOWNLOAD_LINK_SECRETS || downloadLinkSecrets.join(',') }),
  };
}

/**
 * The trainers' credential, the trainable models and the default quota, unless the environment configures them.
 * @param {Settings} settings
 * @param {Secrets} secrets
 * @returns {NodeJS.ProcessEnv}
 */
function training({ engine }, { trainerCredential }) {
  const { TRAINER_CREDENTIALS, TRAINING_MODELS, TRAINING_DEFAULT_QUOTA_TOKENS } = process.env;
  return {
    TRAINER_CREDENTIALS: TRAINER_CREDENTIALS || trainerCredential,
    TRAINING_DEFAULT_QUOTA_TOKENS: TRAINING_DEFAULT_QUOTA_TOKENS || String(TRAINING_QUOTA_TOKENS),
    ...(!engine && { TRAINING_MODELS: TRAINING_MODELS || 'sandbox-chat,sandbox-mini' }),
  };
}

/** The launcher waits 15 s for a service. The agent needs up to 5 s more than its grace time if the database is away. */
const SHUTDOWN_GRACE = { SHUTDOWN_GRACE_SECONDS: process.env.SHUTDOWN_GRACE_SECONDS || '8' };

/** @param {Secrets} secrets @param {string[] | null} engineModels @returns {NodeJS.ProcessEnv} */
const agent = ({ agentCredential, consoleAgentCredential }, engineModels) => ({
  GATEWAY_CREDENTIAL: agentCredential,
  CONSOLE_CREDENTIALS: consoleAgentCredential,
  DEFAULT_MODEL: process.env.DEFAULT_MODEL || engineModels?.[0] || 'sandbox-chat',
  ...SHUTDOWN_GRACE,
});

/**
 * Without an engine of the operator there is no chat model: the sandbox engine cannot answer from documents.
 * @param {Secrets} secrets
 * @param {string[] | null} engineModels
 * @returns {NodeJS.ProcessEnv}
 */
const memo = ({ memoCredential }, engineModels) => ({
  GATEWAY_CREDENTIAL: memoCredential,
  ...SHUTDOWN_GRACE,
  ...(!process.env.CHAT_MODEL && engineModels?.[0] && { CHAT_MODEL: engineModels[0] }),
});

/**
 * Browsers do not tell the ports of a host apart: sites beside the first one need names of their own, unless the environment gives
 * them.
 * @param {Settings} settings
 */
function cookieNames({ ports }) {
  const suffix = ports.console === DEFAULT_CONSOLE_PORT ? '' : `_${ports.console}`;
  const { SESSION_COOKIE_NAME, REFRESH_COOKIE_NAME, OAUTH_FLOW_COOKIE_NAME } = process.env;
  return {
    SESSION_COOKIE_NAME: SESSION_COOKIE_NAME || `session${suffix}`,
    REFRESH_COOKIE_NAME: REFRESH_COOKIE_NAME || `refresh${suffix}`,
    OAUTH_FLOW_COOKIE_NAME: OAUTH_FLOW_COOKIE_NAME || `oauth_flow${suffix}`,
  };
}

/**
 * The pages of the console call these services from their own origin. The environment replaces it, for pages on another one.
 * @param {Settings} settings
 */
const calledByPages = ({ ports }) => ({ CORS_ORIGINS: process.env.CORS_ORIGINS || urlOf(ports.console) });

/** The caller's environment for the apps, without the variables of npm and of the launcher itself. */
function inherited() {
  const own = /^(npm_|INIT_CWD$|PORT_BASE$|DATA_DIR$|ENGINE_|SANDBOX_|API_KEY$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}

/**
 * @param {Settings} settings
 * @param {Secrets} secrets
 * @param {string[] | null} engineModels of the operator's engine; null for the sandbox engine
 * @returns {Description[]} in the order of their ports
 */
export function describeServices(settings, secrets, engineModels) {
  const { site, ports, metricsPorts, logLevel } = settings;
  // Whoever tries the site out signs in as its admin without an authenticator.
  const common = {
    STAFF_2FA: 'optional',
    ...inherited(),
    SITE: site,
    HOST,
    LOG_LEVEL: logLevel,
    NODE_ENV: 'development',
  };
  /** @param {string} role */
  const database = (role) => ({
    DATABASE_URL: databaseUrl(role, secrets.rolePasswords[role] ?? '', ports.postgres),
  });
  const callers = { CONSOLE_URL: urlOf(ports.console), API_KEY_HASH_SECRET: secrets.apiKeyHashSecret };
  const GATEWAY_URL = urlOf(ports.gateway);
  /** @type {Record<import('../settings.mjs').AppName, NodeJS.ProcessEnv>} */
  const environments = {
    console: {
      ...database('console'),
      ...callers,
      ...outsideSystems(settings, secrets),
      ...storage(settings, secrets),
      ...cookieNames(settings),
      SESSION_SIGNING_KEYS: JSON.stringify(secrets.sessionSigningKeys),
      ENCRYPTION_KEYS: secrets.encryptionKeys.join(','),
      UPSTREAM_ENCRYPTION_KEYS: secrets.upstreamEncryptionKeys.join(','),
      // Model servers of one machine.
      UPSTREAM_PRIVATE_NETWORKS: 'allowed',
      SITE_NAME: SITE_NAMES[site],
      STATUS_PAGE: process.env.STATUS_PAGE || 'public',
      GATEWAY_URL,
      TRAINING_URL: urlOf(ports.training),
      ROUTER_URL: urlOf(ports['router-cost']),
      AGENT_URL: urlOf(ports.agent),
      MEMO_URL: urlOf(ports.memo),
      ENVIRONMENTS_URL: urlOf(ports['agent-environments']),
      GATEWAY_CREDENTIAL: secrets.consoleGatewayCredential,
      AGENT_CREDENTIAL: secrets.consoleAgentCredential,
      ROUTER_COST_CREDENTIAL: secrets.consoleRouterCostCredential,
      ...SHUTDOWN_GRACE,
      CONSOLE_UI_DIRECTORY: process.env.CONSOLE_UI_DIRECTORY || CONSOLE_UI_FOLDER,
    },
    training: {
      ...database('training'),
      ...callers,
      ...calledByPages(settings),
      ...training(settings, secrets),
    },
    'router-cost': {
      ...database('router_cost'),
      ...callers,
      ...calledByPages(settings),
      SESSION_COOKIE_NAME: cookieNames(settings).SESSION_COOKIE_NAME,
      CONSOLE_CREDENTIALS: secrets.consoleRouterCostCredential,
    },
    agent: { ...database('agent'), ...callers, GATEWAY_URL, ...agent(secrets, engineModels) },
    memo: {
      ...database('memo'),
      ...callers,
      ...calledByPages(settings),
      GATEWAY_URL,
      ...memo(secrets, engineModels),
    },
    'agent-environments': {},
    gateway: {
      ...database('gateway'),
      ...callers,
      CONSOLE_UI_URL: urlOf(ports.console),
      UPSTREAMS: JSON.stringify(upstreams(settings, engineModels)),
      // Another start may have another engine, or other ports.
      UPSTREAMS_APPLY: 'until_changed',
      UPSTREAM_ENCRYPTION_KEYS: secrets.upstreamEncryptionKeys.join(','),
      UPSTREAM_PRIVATE_NETWORKS: 'allowed',
      AGENT_CREDENTIALS: secrets.agentCredential,
      MEMO_CREDENTIALS: secrets.memoCredential,
      CONSOLE_CREDENTIALS: secrets.consoleGatewayCredential,
    },
  };
  const names = /** @type {import('../settings.mjs').AppName[]} */ (Object.keys(environments));
  const services = names.map((name) => ({
    name,
    entry: `dist/apps/${name}/src/main.js`,
    url: urlOf(ports[name]),
    env: {
      ...common,
      PORT: String(ports[name]),
      METRICS_PORT: String(metricsPorts[name]),
      ...environments[name],
    },
  }));
  return [...services, ...describeSandboxes(settings, secrets, common)];
}

/**
 * The sandboxes, each of which replaces an external system that the environment does not configure.
 * @param {Settings} settings
 * @param {Secrets} secrets
 * @param {NodeJS.ProcessEnv} common
 * @returns {Description[]}
 */
function describeSandboxes({ dataDir, ports, tokensPerSecond }, { oidcClientSecret, payments }, common) {
  const redirectUri = `${urlOf(ports.console)}/api/auth/oauth/${OIDC_PROVIDER}/callback`;
  const client = {
    client_id: OIDC_CLIENT_ID,
    client_secret: oidcClientSecret,
    redirect_uris: [redirectUri],
  };
  /** @type {Record<import('../settings.mjs').SandboxName, NodeJS.ProcessEnv>} */
  const environments = {
    'sandbox-engine': {
      SANDBOX_HOST: HOST,
      SANDBOX_PORT: String(ports['sandbox-engine']),
      ENGINE_TOKENS_PER_SECOND: String(tokensPerSecond),
    },
    'sandbox-oidc': {
      SANDBOX_OIDC_HOST: HOST,
      SANDBOX_OIDC_PORT: String(ports['sandbox-oidc']),
      SANDBOX_OIDC_CLIENTS: JSON.stringify([client]),
    },
    'sandbox-payments': {
      SANDBOX_PAYMENTS_HOST: HOST,
      SANDBOX_PAYMENTS_PORT: String(ports['sandbox-payments']),
      SANDBOX_PAYMENTS_PARTIES: JSON.stringify(payments?.accounts),
      SANDBOX_PAYMENTS_MERCHANT: urlOf(ports.console),
      SANDBOX_PAYMENTS_FILE: path.join(dataDir, 'sandbox-payments.json'),
    },
    'sandbox-code-host': {
      SANDBOX_CODE_HOST_HOST: HOST,
      SANDBOX_CODE_HOST_PORT: String(ports['sandbox-code-host']),
      SANDBOX_CODE_HOST_SAMPLES: 'true',
    },
  };
  const names = /** @type {import('../settings.mjs').SandboxName[]} */ (Object.keys(environments));
  return names.flatMap((name) => {
    const port = ports[name];
    if (port === undefined) return [];
    const entry = `dist/tools/${name}/src/main.js`;
    return [{ name, entry, url: urlOf(port), env: { ...common, ...environments[name] } }];
  });
}

/**
 * The process that moves old usage events to the storage every day.
 * @param {import('../settings.mjs').Settings} settings
 * @param {import('../secrets.mjs').Secrets} secrets
 */
export function describeUsageArchive({ ports, storageFolder }, { databasePassword }) {
  return {
    name: 'usage-archive',
    entry: 'dist/libs/usage-archive/src/command.js',
    args: ['export', '--daily'],
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl('postgres', databasePassword, ports.postgres),
      ...(storageFolder && { STORAGE_FOLDER: storageFolder }),
    },
  };
}
