import http from 'node:http';
import pg from 'pg';
import { findFreePort } from '../../setup/ports.mjs';
import { passages } from './generated-passages.mjs';
import { IndexLoader } from './index-loader.mjs';
import { addAdmin, createKey, startMemo } from './memo-site.mjs';

export const DOCUMENTS = 2_000;
/** Number of questions in each measurement. */
export const QUESTIONS = 100;
const LARGE_FILE_BYTES = 50_000_000;
const TOKENS_PER_SECOND = 20;
const WORKSPACE = 'ws_bench';
const DATABASE = 'memo_first_token';
/** The boundary of the multipart body of the upload. */
export const BOUNDARY = 'bench-file';

/**
 * @import { Workbench } from '../setup/workbench.mjs'
 * @import { Document } from './collection.mjs'
 *
 * @typedef {Awaited<ReturnType<typeof openSite>>} Site
 */

/** Starts a memo service with a filled workspace, and a model server. @param {Workbench} bench */
export async function openSite(bench) {
  const model = await startModel(bench);
  const site = await startMemo(bench, DATABASE, { GATEWAY_URL: model.url, CHAT_MODEL: 'bench' });
  const { pool, accountId, memo } = site;
  const url = new URL(bench.postgresUrl);
  url.pathname = `/${DATABASE}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  bench.defer(() => client.end());
  const documents = [...passages('English', DOCUMENTS)];
  const index = await IndexLoader.create({ bench, pool, client, accountId }, WORKSPACE);
  for (const document of documents) await index.add(document);
  await index.finish();
  await addAdmin(site, WORKSPACE);
  return {
    ...{ bench, pool, memo, model },
    url: `${memo.url}/v1/workspaces/${WORKSPACE}`,
    key: await createKey(site, WORKSPACE),
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
