import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readJson, writeJson } from '../setup/state-file.mjs';

/**
 * Secrets that the first start generates and later starts reuse, in a file that only its owner can read.
 *
 * @import { Site } from './settings.mjs'
 * @typedef {{ identifier: string, password: string, apiKey?: string }} Account
 * @typedef {object} Secrets
 * @property {number} format 1; 0.2.0 and earlier versions have written none
 * @property {Site} site that the data belong to
 * @property {string} databasePassword of the superuser
 * @property {Record<string, string>} rolePasswords by role
 * @property {string} apiKeyHashSecret
 * @property {object[]} sessionSigningKeys private JWKs; the first one signs
 * @property {string[]} encryptionKeys 32 bytes each in hexadecimal digits; the first one encrypts
 * @property {string[]} upstreamEncryptionKeys of the credentials of upstreams, as the others
 * @property {string[]} downloadLinkSecrets sign the links to files in the console's storage; the first one signs
 * @property {string} oidcClientSecret of the console at the sandbox's OpenID provider
 * @property {string} agentCredential of the agent service at the gateway, to act on behalf of accounts
 * @property {string} memoCredential of the memo service at the gateway, to act on behalf of accounts
 * @property {string} consoleGatewayCredential of the console at the gateway, to act on behalf of accounts
 * @property {string} consoleAgentCredential of the console at the agent service, to act on behalf of accounts
 * @property {string} consoleRouterCostCredential of the console at the router-cost service, to act on behalf of accounts
 * @property {string} trainerCredential of trainers at the training service, to record usage
 * @property {PaymentCredentials} [payments] of the console at the payment sandbox; absent until the sandbox is first used
 * @property {{ demo: Account, admin: Account }} accounts
 * @property {{ workspaceId?: string, apiKey?: string }} memo a workspace of the demo account, and a key to read it
 * @property {Seeded} seeded
 *
 * @typedef {import('../sandbox-payments/src/credentials/credentials.ts').Credentials} PaymentCredentials
 * @typedef {{ models: string[], packages: string[], accounts?: true, exchangeRate?: true, gpus?: true, trainingPrice?: true, credit?: true }} Seeded
 *   the data that a start has inserted; a later start does not insert them again, whatever the operator changes
 */

const DATABASE_ROLES = ['console', 'gateway', 'router_cost', 'training', 'agent', 'memo'];

const newSecret = () => randomBytes(32).toString('hex');
const newPassword = () => randomBytes(18).toString('base64url');

function newSigningKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'ES256', use: 'sig' };
}

/** @param {Site} site @returns {Secrets} */
export const generateSecrets = (site) => ({
  site,
  format: 1,
  databasePassword: newSecret(),
  rolePasswords: Object.fromEntries(DATABASE_ROLES.map((role) => [role, newSecret()])),
  apiKeyHashSecret: newSecret(),
  sessionSigningKeys: [newSigningKey()],
  encryptionKeys: [newSecret()],
  upstreamEncryptionKeys: [newSecret()],
  downloadLinkSecrets: [newSecret()],
  oidcClientSecret: newSecret(),
  agentCredential: newSecret(),
  memoCredential: newSecret(),
  consoleGatewayCredential: newSecret(),
  consoleAgentCredential: newSecret(),
  consoleRouterCostCredential: newSecret(),
  trainerCredential: newSecret(),
  accounts: {
    demo: { identifier: 'demo@example.com', password: newPassword() },
    admin: { identifier: 'admin@example.com', password: newPassword() },
  },
  memo: {},
  seeded: { models: [], packages: [] },
});

/**
 * What every version has written, and what may be missing from the file of an earlier one.
 * @type {Omit<Parameters<typeof readJson>[1], 'remedy'>}
 */
const FIELDS = {
  required: {
    site: 'text',
    databasePassword: 'text',
    rolePasswords: 'object',
    apiKeyHashSecret: 'text',
    sessionSigningKeys: 'filled list',
    encryptionKeys: 'filled list',
    'accounts.demo.identifier': 'text',
    'accounts.demo.password': 'text',
    'accounts.admin.identifier': 'text',
    'accounts.admin.password': 'text',
    'seeded.models': 'list',
  },
  optional: {
    'accounts.demo.apiKey': 'text',
    'accounts.admin.apiKey': 'text',
    'seeded.packages': 'list',
    upstreamEncryptionKeys: 'filled list',
    downloadLinkSecrets: 'filled list',
    oidcClientSecret: 'text',
    agentCredential: 'text',
    memoCredential: 'text',
    consoleGatewayCredential: 'text',
    consoleAgentCredential: 'text',
    consoleRouterCostCredential: 'text',
    trainerCredential: 'text',
    payments: 'object',
    'payments.console': 'object',
    memo: 'object',
  },
};

/**
 * What a file with a format has beside that. New values would be worse than none: what was encrypted could not be read any more.
 * @type {Parameters<typeof readJson>[1]['required']}
 */
const FORMAT_FIELDS = { upstreamEncryptionKeys: 'filled list' };

/** @param {string} dataDir */
const secretsFile = (dataDir) => path.join(dataDir, 'secrets.json');

/** @param {string} dataDir */
const remedyWithDatabase = (dataDir) =>
  `Restore the file, or remove ${dataDir} to start with an empty database.`;

/** What to do if the database has another password. @param {string} dataDir */
export const adviceOnPassword = (dataDir) =>
  `${secretsFile(dataDir)} holds a databasePassword that is wrong.\n${remedyWithDatabase(dataDir)}`;

/**
 * Earlier versions stored the accounts at the payment providers under the name "parties", and that the package of
 * `sandbox-chat` was published as `model`.
 * @param {any} saved content of the file
 */
function withCurrentNames({ payments, seeded, ...saved }) {
  if (payments) {
    const { parties, ...named } = payments;
    saved.payments = parties ? { accounts: parties, ...named } : named;
  }
  if (seeded) {
    const { model, ...named } = seeded;
    saved.seeded = { packages: model ? ['sandbox-chat'] : [], ...named };
  }
  return saved;
}

/**
 * @param {import('./settings.mjs').Settings} settings
 * @returns {{ secrets: Secrets, save: () => void }} `save` after a change
 */
export function openSecrets({ dataDir, site }) {
  const file = secretsFile(dataDir);
  const hasDatabase = fs.existsSync(path.join(dataDir, 'postgres'));
  const remedy = hasDatabase
    ? `The database in the same folder cannot be opened without it.\n${remedyWithDatabase(dataDir)}`
    : 'There is no database yet that needs it: remove the file.';
  const content = readJson(file, { ...FIELDS, remedy });
  if (content && 'format' in content) readJson(file, { required: FORMAT_FIELDS, remedy });
  if (content === null && hasDatabase) throw new Error(`${file} is missing. ${remedy}`);
  const saved = content && withCurrentNames(content);
  const fresh = generateSecrets(saved?.site ?? site);
  /** @type {Secrets} with new values for the secrets that the file, written by an earlier version, does not have */
  const secrets = {
    ...fresh,
    ...saved,
    rolePasswords: { ...fresh.rolePasswords, ...saved?.rolePasswords },
  };
  if (secrets.site !== site) {
    throw new Error(
      `${dataDir} holds the data of the site ${secrets.site}, not ${site}. Give each site a folder of its own:\n` +
        `  SITE=${site} DATA_DIR=.data-${site} PORT_BASE=4000 npm start`,
    );
  }
  const save = () => writeJson(file, secrets);
  if (!isDeepStrictEqual(secrets, saved)) save();
  return { secrets, save };
}
