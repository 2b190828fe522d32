import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Prints the addresses, logins and keys of the site that `npm start` runs as shell assignments, and a function that
 * reads a field of a JSON answer: `eval "$(node tools/docs/shell-variables.mjs)"`. Reads DATA_DIR (default: .data).
 */

const ROOT = join(import.meta.dirname, '../..');
const FIELD_FUNCTION = 'field() { node -pe "JSON.parse(fs.readFileSync(0)).$1"; }';

const dataDir = resolve(ROOT, process.env.DATA_DIR || '.data');
const file = join(dataDir, 'platform.json');
if (!existsSync(file)) {
  console.error(
    `There is no ${file}. Start the platform first (npm start), or set DATA_DIR as it was started with.`,
  );
  // Standard output is evaluated by the caller's shell: this makes the eval fail too.
  console.log('false');
  process.exit(1);
}

const { site, urls, accounts, memo, sandbox } = JSON.parse(readFileSync(file, 'utf8'));
const { trainerCredential } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8'));
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
