import fs from 'node:fs';
import path from 'node:path';
import { generateSecrets } from '../tools/launcher/secrets.mjs';

/**
 * Writes the Secrets of kubernetes/ with new values, as manifests that `kubectl apply` takes:
 * DATABASE_URL=<as the owner> node docker/make-kubernetes-secrets.mjs <site> <file>
 */

const EXAMPLE_UPSTREAMS = [{ name: 'engine', base_url: 'http://engine.models:8000/v1' }];
/** Secrets of the payment providers of a site: each provider is complete or absent. */
const PAYMENT_SECRETS = {
  intl: ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRETS'],
  cn: ['WECHAT_PAY_MERCHANT_KEY', 'WECHAT_PAY_API_V3_KEY', 'ALIPAY_APP_KEY'],
};

/** @param {string} text */
const isPostgresUrl = (text) => URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);

const [site, file] = process.argv.slice(2);
const { DATABASE_URL: ownerUrl = '' } = process.env;
if ((site !== 'intl' && site !== 'cn') || !file || !isPostgresUrl(ownerUrl)) {
  console.error(
    'Say the site, where to, and the address of the database with its owner:\n' +
      '  DATABASE_URL=postgres://… node docker/make-kubernetes-secrets.mjs intl .data/intl-secrets.yaml',
  );
  process.exit(2);
}

const secrets = generateSecrets(site);

/** @param {string} role @returns {string} the database as this role reaches it */
function databaseUrlOf(role) {
  const url = new URL(ownerUrl);
  url.username = role;
  url.password = secrets.rolePasswords[role] ?? '';
  return url.href;
}

/** What a receiver of traces asks for, such as a credential. */
const everyService = { OTEL_EXPORTER_OTLP_HEADERS: '' };

/** @param {string} role */
const callersOf = (role) => ({
  ...everyService,
  DATABASE_URL: databaseUrlOf(role),
  API_KEY_HASH_SECRET: secrets.apiKeyHashSecret,
  API_KEY_HASH_OTHER_SECRET: '',
  REDIS_URL: '',
});

/** @type {Record<string, Record<string, string>>} variables by Secret */
const variables = {
  'database-owner': { DATABASE_URL: ownerUrl },
  migrate: Object.fromEntries(
    Object.entries(secrets.rolePasswords).map(([role, password]) => [
      `${role.toUpperCase()}_DATABASE_PASSWORD`,
      password,
    ]),
  ),
  storage: { S3_ACCESS_KEY_ID: '', S3_SECRET_ACCESS_KEY: '' },
  console: {
    ...callersOf('console'),
    DATABASE_READ_URL: '',
    SESSION_SIGNING_KEYS: JSON.stringify(secrets.sessionSigningKeys),
    ENCRYPTION_KEYS: secrets.encryptionKeys.join(','),
    UPSTREAM_ENCRYPTION_KEYS: secrets.upstreamEncryptionKeys.join(','),
    DOWNLOAD_LINK_SECRETS: secrets.downloadLinkSecrets.join(','),
    GATEWAY_CREDENTIAL: secrets.consoleGatewayCredential,
    AGENT_CREDENTIAL: secrets.consoleAgentCredential,
    ROUTER_COST_CREDENTIAL: secrets.consoleRouterCostCredential,
    EXPORT_S3_ACCESS_KEY_ID: '',
    EXPORT_S3_SECRET_ACCESS_KEY: '',
    SMTP_URL: '',
    OAUTH_PROVIDERS: '[]',
    CODE_HOST_TOKEN: '',
    INVOICE_ISSUER_TOKEN: '',
    ...Object.fromEntries(PAYMENT_SECRETS[site].map((name) => [name, ''])),
  },
  gateway: {
    ...callersOf('gateway'),
    UPSTREAMS: JSON.stringify(EXAMPLE_UPSTREAMS),
    UPSTREAM_ENCRYPTION_KEYS: secrets.upstreamEncryptionKeys.join(','),
    AGENT_CREDENTIALS: secrets.agentCredential,
    MEMO_CREDENTIALS: secrets.memoCredential,
    CONSOLE_CREDENTIALS: secrets.consoleGatewayCredential,
  },
  'router-cost': {
    ...callersOf('router_cost'),
    DATABASE_READ_URL: '',
    CONSOLE_CREDENTIALS: secrets.consoleRouterCostCredential,
  },
  training: { ...callersOf('training'), TRAINER_CREDENTIALS: secrets.trainerCredential },
  agent: {
    ...callersOf('agent'),
    GATEWAY_CREDENTIAL: secrets.agentCredential,
    CONSOLE_CREDENTIALS: secrets.consoleAgentCredential,
  },
  memo: { ...callersOf('memo'), GATEWAY_CREDENTIAL: secrets.memoCredential },
  'agent-environments': { ...everyService, API_KEY: '' },
};

const manifests = Object.entries(variables).map(([name, values]) =>
  [
    'apiVersion: v1',
    'kind: Secret',
    `metadata: { name: ${name}, namespace: inference-${site} }`,
    'stringData:',
    // A JSON string is a YAML string.
    ...Object.entries(values).map(([variable, value]) => `  ${variable}: ${JSON.stringify(value)}`),
    '',
  ].join('\n'),
);

fs.mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
try {
  fs.writeFileSync(file, manifests.join('---\n'), { mode: 0o600, flag: 'wx' });
} catch (error) {
  if (error.code !== 'EEXIST') throw error;
  console.error(`${file} exists already; a site keeps its secrets.`);
  process.exitCode = 1;
}
