import { randomBytes } from 'node:crypto';
import http from 'node:http';
import pg from 'pg';
import { findFreePort } from '../../setup/ports.mjs';
import { loadBuilt } from '../setup/built-modules.mjs';
import { createDatabase, roleUrl } from '../setup/database.mjs';
import { passages } from './generated-passages.mjs';
import { IndexLoader } from './index-loader.mjs';

export const DOCUMENTS = 2_000;
/** Number of questions in each measurement. */
export const QUESTIONS = 100;
const LARGE_FILE_BYTES = 50_000_000;
const TOKENS_PER_SECOND = 20;
const WORKSPACE = 'ws_bench';
const DATABASE = 'memo_first_token';
/** The boundary of the multipart body of the upload. */
export const BOUNDARY = 'bench-file';
const INSERT_ADMIN =
  "INSERT INTO memo.members (workspace_id, account_id, role, shows_email) VALUES ($1, $2, 'admin', true)";

/**
 * @import { Workbench } from '../setup/workbench.mjs'
 * @import { Document } from './collection.mjs'
 *
 * @typedef {Awaited<ReturnType<typeof openSite>>} Site
 */

/** Starts a memo service with a filled workspace, and a model server. @param {Workbench} bench */
export async function openSite(bench) {
  const database = await createDatabase(bench, DATABASE);
  const { pool } = database;
  const { accountId } = await loadBuilt('libs/testing/src').insertAccount(pool, { balancePicos: 0n });
  const url = new URL(bench.postgresUrl);
  url.pathname = `/${DATABASE}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  bench.defer(() => client.end());
  const documents = [...passages('English', DOCUMENTS)];
  const index = await IndexLoader.create({ bench, pool, client, accountId }, WORKSPACE);
  for (const document of documents) await index.add(document);
  await index.finish();
  await pool.query(INSERT_ADMIN, [WORKSPACE, accountId]);
  const issuer = await loadBuilt('libs/testing/src').startIssuer();
  bench.defer(() => issuer.close());
  const model = await startModel(bench);
  const memo = await startMemo(bench, {
    DATABASE_URL: await roleUrl(database, 'memo'),
    CONSOLE_URL: issuer.url,
    GATEWAY_URL: model.url,
  });
  const { token } = await issuer.signIn(pool, accountId);
  return {
    ...{ bench, pool, memo, model },
    url: `${memo.url}/v1/workspaces/${WORKSPACE}`,
    key: await createKey(`${memo.url}/v1/workspaces/${WORKSPACE}/keys`, token),
    connection: new http.Agent({ keepAlive: true }),
    questions: documents.slice(0, QUESTIONS).map(({ text }) => `${text.slice(0, text.indexOf('.'))}?`),
    file: largeFile(documents),
  };
}

/** @param {Workbench} bench */
async function startModel(bench) {
  const port = await findFreePort();
  const env = { PORT: String(port), PER_SECOND: String(TOKENS_PER_SECOND) };
  return bench.start({
    name: 'memo-model',
    args: ['tools/bench/memo/model-server-process.mjs'],
    env,
    port,
    probe: '/healthz',
  });
}

/** Starts the memo service in production configuration. @param {Workbench} bench @param {NodeJS.ProcessEnv} environment */
async function startMemo(bench, environment) {
  const port = await findFreePort();
  const env = {
    SITE: 'intl',
    HOST: '127.0.0.1',
    PORT: String(port),
    LOG_LEVEL: 'info',
    API_KEY_HASH_SECRET: loadBuilt('libs/testing/src').TEST_API_KEY_HASH_SECRET,
    GATEWAY_CREDENTIAL: randomBytes(32).toString('hex'),
    CHAT_MODEL: 'bench',
    ...environment,
  };
  const args = ['--enable-source-maps', 'dist/apps/memo/src/main.js'];
  return bench.start({ name: 'memo', args, env, port, probe: '/healthz' });
}

/** @param {string} url @param {string} token @returns {Promise<string>} */
async function createKey(url, token) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', role: 'editor' }),
  });
  if (!response.ok) throw new Error(`keys: ${response.status} ${await response.text()}`);
  const { key } = /** @type {{ key: string }} */ (await response.json());
  return key;
}

/** The body of an upload: numbered repetitions of the documents. @param {Document[]} documents */
function largeFile(documents) {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="large.txt"\r\n\r\n`;
  const parts = [Buffer.from(head)];
  for (let bytes = 0, n = 0; bytes < LARGE_FILE_BYTES; n += 1) {
    const part = Buffer.from(`Part ${n}. ${documents[n % documents.length]?.text}\n\n`);
    bytes += part.length;
    parts.push(part);
  }
  return Buffer.concat([...parts, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
}
