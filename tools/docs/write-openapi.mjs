import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { format } from 'oxfmt';

/** Renders the API document of each service. Needs the built services, and neither a database nor a network. */

const require = createRequire(import.meta.url);
const built = (/** @type {string} */ path) => require(`../../dist/${path}`);

const SECRET = randomBytes(32).toString('hex');
const ELSEWHERE = 'http://127.0.0.1:9';

const COMMON = {
  SITE: 'intl',
  HOST: '127.0.0.1',
  PORT: '0',
  DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
  CONSOLE_URL: ELSEWHERE,
  GATEWAY_URL: ELSEWHERE,
  API_KEY_HASH_SECRET: SECRET,
  GATEWAY_CREDENTIAL: SECRET,
};

function signingKeys() {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  return JSON.stringify([{ ...key, kid: 'example' }]);
}

/** What each service needs to be built, beside `COMMON`. The documents do not depend on the values. */
const ENVIRONMENTS = {
  console: () => ({
    SESSION_SIGNING_KEYS: signingKeys(),
    ENCRYPTION_KEYS: randomBytes(32).toString('hex'),
    UPSTREAM_ENCRYPTION_KEYS: randomBytes(32).toString('hex'),
    DOWNLOAD_LINK_SECRETS: SECRET,
    STORAGE_FOLDER: '/nonexistent',
    TRAINING_URL: ELSEWHERE,
    ROUTER_URL: ELSEWHERE,
    AGENT_URL: ELSEWHERE,
    MEMO_URL: ELSEWHERE,
  }),
  gateway: () => ({ UPSTREAM_ENCRYPTION_KEYS: randomBytes(32).toString('hex') }),
  'router-cost': () => ({}),
  training: () => ({ TRAINING_MODELS: 'none' }),
  agent: () => ({ DEFAULT_MODEL: 'none' }),
  memo: () => ({}),
  'agent-environments': () => ({}),
};

const SERVICES = /** @type {(keyof typeof ENVIRONMENTS)[]} */ (Object.keys(ENVIRONMENTS));

/** @param {keyof typeof ENVIRONMENTS} service @returns {Promise<object>} its OpenAPI document */
async function renderDocument(service) {
  const { NestFactory } = require('@nestjs/core');
  const { buildDocument } = built('libs/openapi/src/index.js');
  const { AppModule } = built(`apps/${service}/src/app.module.js`);
  const { API_DESCRIPTION } = built(`apps/${service}/src/service-options.js`);
  const config = built(`apps/${service}/src/config.js`);
  const name = Object.keys(config).find((key) => /^read\w+Config$/.test(key));
  if (!name)
    throw new Error(`apps/${service}/src/config.ts exports no function that reads the configuration.`);
  const module = AppModule.forRoot(config[name]({ ...COMMON, ...ENVIRONMENTS[service]() }));
  const app = await NestFactory.create(module, { preview: true, logger: false, abortOnError: false });
  return buildDocument(app, API_DESCRIPTION);
}

/** `npm run openapi` writes the API documents; with --check it exits with 1 if one is not current. */

const folder = join(import.meta.dirname, '../../docs/reference/openapi');
const isCheck = process.argv.includes('--check');

mkdirSync(folder, { recursive: true });
for (const service of SERVICES) {
  const file = join(folder, `${service}.json`);
  const { code: text } = await format(file, JSON.stringify(await renderDocument(service)), {
    printWidth: 110,
  });
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  if (isCheck) {
    console.error(`docs/reference/openapi/${service}.json is not current: run npm run openapi.`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    console.log(`docs/reference/openapi/${service}.json is written.`);
  }
}
