import { join, resolve } from 'node:path';
import { messageOf } from '../setup/errors.mjs';
import { readPlatformFile } from '../setup/platform-file.mjs';
import { readJson } from '../setup/state-file.mjs';

/**
 * Prints the addresses, logins and keys of the site that `npm start` runs as shell assignments, and a function that
 * reads a field of a JSON answer: `eval "$(node tools/docs/shell-variables.mjs)"`. Reads DATA_DIR (default: .data).
 */

const ROOT = join(import.meta.dirname, '../..');
const FIELD_FUNCTION = 'field() { node -pe "JSON.parse(fs.readFileSync(0)).$1"; }';

const dataDir = resolve(ROOT, process.env.DATA_DIR || '.data');

/** @param {string} reason @returns {never} */
function fail(reason) {
  console.error(reason);
  // Standard output is evaluated by the caller's shell: this makes the eval fail too.
  console.log('false');
  process.exit(1);
}

function readSite() {
  try {
    const platform = readPlatformFile(dataDir, {
      'urls.console': 'text',
      'accounts.demo': 'object',
      'accounts.admin': 'object',
      memo: 'object',
      sandbox: 'object',
    });
    const secrets = readJson(join(dataDir, 'secrets.json'), {
      required: { trainerCredential: 'text' },
      remedy: 'Restore the file.',
    });
    if (platform && secrets) return { ...platform, trainerCredential: secrets.trainerCredential };
  } catch (error) {
    fail(messageOf(error));
  }
  return fail(
    `There is no site in ${dataDir}. Start the platform first (npm start), or set DATA_DIR as it was started with.`,
  );
}

const { site, urls, accounts, memo, sandbox, trainerCredential } = readSite();
const variables = {
  SITE: site,
  CONSOLE: urls.console,
  TRAINING: urls.training,
  ROUTER: urls.routerCost,
  AGENT: urls.agent,
  MEMO: urls.memo,
  ENVIRONMENTS: urls.agentEnvironments,
  GATEWAY: urls.gateway,
  KEY: accounts.demo.apiKey,
  DEMO_LOGIN: loginBody(accounts.demo),
  ADMIN_LOGIN: loginBody(accounts.admin),
  TRAINER_CREDENTIAL: trainerCredential,
  DEMO_WORKSPACE: memo.workspaceId,
  DEMO_WORKSPACE_KEY: memo.apiKey,
  SANDBOX_PAYMENTS: sandbox.payments,
  SANDBOX_MAIL: sandbox.mail,
};
for (const [name, value] of Object.entries(variables)) {
  if (value !== undefined) console.log(`${name}=${quoted(value)}`);
}
console.log(FIELD_FUNCTION);

/** The body of POST /api/auth/login. @param {{ identifier: string, password: string }} account */
function loginBody({ identifier, password }) {
  return JSON.stringify({ identifier, password });
}

/** @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
