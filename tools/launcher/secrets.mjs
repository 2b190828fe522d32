import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/**
 * What the first start generates and every later one needs again, in a file that only its owner reads.
 *
 * @typedef {{ identifier: string, password: string, apiKey?: string }} Account
 * @typedef {object} Secrets
 * @property {'intl' | 'cn'} site that the data belong to
 * @property {string} databasePassword of the superuser
 * @property {Record<string, string>} rolePasswords by role
 * @property {string} apiKeyHashSecret
 * @property {object[]} sessionSigningKeys private JWKs; the first one signs
 * @property {string[]} encryptionKeys 32 bytes each in hexadecimal digits; the first one encrypts
 * @property {string[]} downloadLinkSecrets sign the links to files in the console's storage; the first one signs
 * @property {string} oidcClientSecret of the console at the sandbox's OpenID provider
 * @property {string} agentCredential what the agent service calls the gateway with, on behalf of accounts
 * @property {string} memoCredential the same of the memo service
 * @property {string} trainerCredential what trainers call the training service with, to record what was used
 * @property {object | undefined} payments the console's credentials at the sandbox for payments, once there is one
 * @property {{ demo: Account, admin: Account }} accounts
 * @property {{ workspaceId?: string, apiKey?: string }} memo a workspace of the demo account, and a key that may read it
 * @property {{ models: string[], accounts?: true, exchangeRate?: true, gpus?: true, credit?: true, model?: true }} seeded what has
 *   been put into the database once, and is the operator's own business from then on
 */

export const DATABASE_ROLES = ['console', 'gateway', 'router_cost', 'training', 'agent', 'memo'];

const newSecret = () => randomBytes(32).toString('hex');
const newPassword = () => randomBytes(18).toString('base64url');

function newSigningKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'ES256', use: 'sig' };
}

/** @param {'intl' | 'cn'} site @returns {Secrets} new ones */
export const generateSecrets = (site) => ({
  site,
  databasePassword: newSecret(),
  rolePasswords: Object.fromEntries(DATABASE_ROLES.map((role) => [role, newSecret()])),
  apiKeyHashSecret: newSecret(),
  sessionSigningKeys: [newSigningKey()],
  encryptionKeys: [newSecret()],
  downloadLinkSecrets: [newSecret()],
  oidcClientSecret: newSecret(),
  agentCredential: newSecret(),
  memoCredential: newSecret(),
  trainerCredential: newSecret(),
  accounts: {
    demo: { identifier: 'demo@example.com', password: newPassword() },
    admin: { identifier: 'admin@example.com', password: newPassword() },
  },
  memo: {},
  seeded: { models: [] },
});

/**
 * Writes a file that holds secrets: readable by its owner alone, complete or not at all, also after a power failure.
 * @param {string} file
 * @param {unknown} content
 */
export function writePrivateJson(file, content) {
  const draft = `${file}.${process.pid}`;
  fs.rmSync(draft, { force: true });
  fs.writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true });
  fs.renameSync(draft, file);
}

/**
 * @param {import('./settings.mjs').Settings} settings
 * @returns {{ secrets: Secrets, save: () => void }} `save` after a change
 */
export function openSecrets({ dataDir, site }) {
  const file = path.join(dataDir, 'secrets.json');
  const fresh = !fs.existsSync(file);
  if (fresh && fs.existsSync(path.join(dataDir, 'postgres'))) {
    throw new Error(`${file} is missing: without it the database beside it cannot be opened. Put it back, or remove
${dataDir} to start anew.`);
  }
  const saved = fresh ? {} : JSON.parse(fs.readFileSync(file, 'utf8'));
  /** @type {Secrets} an earlier version has generated fewer than this one needs */
  const secrets = { ...generateSecrets(site), ...saved };
  if (secrets.site !== site) {
    throw new Error(
      `${dataDir} holds the data of the site ${secrets.site}, not ${site}. Give each site a folder of its own:\n` +
        `  SITE=${site} DATA_DIR=.data-${site} PORT_BASE=4000 npm start`,
    );
  }
  const save = () => writePrivateJson(file, secrets);
  if (Object.keys(secrets).some((name) => !(name in saved))) save();
  return { secrets, save };
}
