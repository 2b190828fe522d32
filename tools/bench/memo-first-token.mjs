import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findFreePort } from './contenders.mjs';
import { createDatabase, product, roleUrl } from './database.mjs';
import { MemoIndex } from './memo-index.mjs';
import { passages } from './memo-passages.mjs';
import { figure, median, percentile, printRows } from './report.mjs';

const DOCUMENTS = 2_000;
/** Of each turn. */
const QUESTIONS = 100;
const LARGE_FILE_BYTES = 50_000_000;
const STREAMS = 50;
const TOKENS_PER_SECOND = 20;
const WORKSPACE = 'ws_bench';
const DATABASE = 'memo_first_token';
/** What a deletion may take to be through with what was read of the file until then. */
const CLEANED_MILLIS = 120_000;
const BOUNDARY = 'bench-file';
const INSERT_ADMIN =
  "INSERT INTO memo.members (workspace_id, account_id, role, shows_email) VALUES ($1, $2, 'admin', true)";
const FIRST_DATA = /^data: /m;

/**
 * How long a chat takes until its first text is there, alone and beside other work.
 * @param {import('./workbench.mjs').Workbench} bench
 * @param {{ rounds: number }} options of which the first one warms up
 * @returns {Promise<{ verdicts: import('./report.mjs').Verdict[], faults: string[] }>}
 */
export async function measureFirstToken(bench, { rounds }) {
  const site = await openSite(bench);
  const millis = Object.fromEntries(TURNS.map(({ key }) => [key, []]));
  try {
    for (let round = 1; round <= rounds; round += 1) {
      for (const { key, measure } of TURNS) {
        bench.signal.throwIfAborted();
        const values = await measure(site);
        if (round > 1) millis[key].push(values);
      }
    }
  } catch (error) {
    bench.signal.throwIfAborted();
    return { verdicts: [], faults: [`first token: ${error.message}`] };
  } finally {
    site.connection.destroy();
    for (const service of [site.memo, site.model]) await service.stop();
  }
  print(millis, rounds);
  return { verdicts: verdictsOf(millis), faults: [] };
}

/** Nobody notices that beside what a model takes to begin. */
const MOST_MILLIS = 100;
const TURNS = [
  { key: 'alone', label: '(a) alone', measure: (site) => askAll(site) },
  { key: 'ingesting', label: '(b) while a file of 50 MB is read', measure: askWhileIngesting },
  { key: 'streaming', label: `(c) beside ${STREAMS} other chats`, measure: askBesideStreams },
];

async function openSite(bench) {
  const database = await createDatabase(bench, DATABASE);
  const { pool } = database;
  const { accountId } = await product('libs/testing/src').insertAccount(pool, { balancePicos: 0n });
  const url = new URL(bench.postgresUrl);
  url.pathname = `/${DATABASE}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  bench.defer(() => client.end());
  const documents = [...passages('English', DOCUMENTS)];
  const index = await MemoIndex.create({ bench, pool, client, accountId }, WORKSPACE);
  for (const document of documents) await index.add(document);
  await index.finish();
  await pool.query(INSERT_ADMIN, [WORKSPACE, accountId]);
  const issuer = await product('libs/testing/src').startIssuer();
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

async function startModel(bench) {
  const port = await findFreePort();
  const env = { PORT: String(port), PER_SECOND: String(TOKENS_PER_SECOND) };
  return bench.start({
    name: 'memo-model',
    args: ['tools/bench/memo-model.mjs'],
    env,
    port,
    probe: '/healthz',
  });
}

/** As an operator runs it: with one process beside it that reads documents. */
async function startMemo(bench, environment) {
  const port = await findFreePort();
  const env = {
    SITE: 'intl',
    HOST: '127.0.0.1',
    PORT: String(port),
    LOG_LEVEL: 'info',
    API_KEY_HASH_SECRET: product('libs/testing/src').TEST_API_KEY_HASH_SECRET,
    GATEWAY_CREDENTIAL: randomBytes(32).toString('hex'),
    CHAT_MODEL: 'bench',
    ...environment,
  };
  const args = ['--enable-source-maps', 'dist/apps/memo/src/main.js'];
  return bench.start({ name: 'memo', args, env, port, probe: '/healthz' });
}

async function createKey(url, token) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', role: 'editor' }),
  });
  if (!response.ok) throw new Error(`keys: ${response.status} ${await response.text()}`);
  return (await response.json()).key;
}

/** The texts of the workspace again and again, each time with a number, as the body of an upload. */
function largeFile(documents) {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="large.txt"\r\n\r\n`;
  const parts = [Buffer.from(head)];
  for (let bytes = 0, n = 0; bytes < LARGE_FILE_BYTES; n += 1) {
    const part = Buffer.from(`Part ${n}. ${documents[n % documents.length].text}\n\n`);
    bytes += part.length;
    parts.push(part);
  }
  return Buffer.concat([...parts, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
}

/** One question after the other. @returns {Promise<Float64Array>} milliseconds until the first text, in ascending order */
async function askAll(site) {
  const values = [];
  for (const question of site.questions) {
    site.bench.signal.throwIfAborted();
    const chat = await openChat(site, question);
    values.push(chat.millis);
    const text = await chat.ended;
    if (!text.includes('\ndata: Citations: [1]')) throw new Error(`no citations: ${text.slice(0, 300)}`);
  }
  return Float64Array.from(values).sort();
}

/** Resolves with the first text of an answer; `ended` with all of it. */
function openChat({ url, key, connection }, query) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const request = http.request(
      `${url}/chat`,
      { method: 'POST', agent: connection, headers },
      (response) => {
        let text = '';
        let isOpen = false;
        const ended = new Promise((end) => response.on('close', () => end(text)));
        response.setEncoding('utf8').on('error', () => undefined);
        response.on('data', (chunk) => {
          if (!isOpen || text.length < 65_536) text += chunk;
          if (isOpen || !FIRST_DATA.test(text)) return;
          isOpen = true;
          resolve({ millis: performance.now() - startedAt, ended, leave: () => request.destroy() });
        });
        response.on(
          'close',
          () => isOpen || reject(new Error(`${response.statusCode} ${text.slice(0, 300)}`)),
        );
      },
    );
    request.on('error', reject);
    request.end(JSON.stringify({ query }));
  });
}

/** The file is deleted afterwards, before it is served, so that the workspace stays as it is. */
async function askWhileIngesting(site) {
  const headers = { 'x-api-key': site.key };
  const response = await fetch(`${site.url}/documents`, {
    method: 'POST',
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: site.file,
  });
  if (response.status !== 201) throw new Error(`documents: ${response.status} ${await response.text()}`);
  const { id } = await response.json();
  const find = async () => (await fetch(`${site.url}/documents/${id}`, { headers })).json();
  while ((await find()).status === 'queued') await sleep(50, undefined, { signal: site.bench.signal });
  const values = await askAll(site);
  const { status, error } = await find();
  if (status !== 'processing') throw new Error(`the file was ${status} too soon (${error?.message ?? ''})`);
  await fetch(`${site.url}/documents/${id}`, { method: 'DELETE', headers });
  await untilCleaned(site, id);
  return values;
}

async function untilCleaned({ bench, pool }, id) {
  const left = `
    SELECT FROM memo.chunks WHERE document_id = $1 UNION ALL SELECT FROM memo.segments WHERE document_id = $1
    UNION ALL SELECT FROM memo.garbage LIMIT 1`;
  for (const deadline = Date.now() + CLEANED_MILLIS; (await pool.query(left, [id])).rowCount > 0;) {
    if (Date.now() > deadline) throw new Error('what was read of the deleted file is still there');
    await sleep(100, undefined, { signal: bench.signal });
  }
}

async function askBesideStreams(site) {
  const opened = site.questions.slice(0, STREAMS).map((question) => openChat(site, `At length: ${question}`));
  const chats = await Promise.all(opened);
  let broken = 0;
  for (const { ended } of chats) void ended.then(() => (broken += 1));
  try {
    const values = await askAll(site);
    if (broken > 0) throw new Error(`${broken} of the other chats broke off`);
    return values;
  } finally {
    for (const { leave } of chats) leave();
    await Promise.all(chats.map(({ ended }) => ended));
  }
}

const sortedOf = (rounds) => Float64Array.from(rounds.flatMap((values) => [...values])).sort();

function print(millis, rounds) {
  const rows = TURNS.map(({ key, label }) => {
    const sorted = sortedOf(millis[key]);
    return [label, ...[0.5, 0.99, 1].map((share) => figure(percentile(sorted, share), 2))];
  });
  const asked = `${QUESTIONS} questions a turn, ${rounds - 1} turns each`;
  printRows(`First token of a chat, ${DOCUMENTS} documents, ${asked}`, [
    ['', 'p50 ms', 'p99 ms', 'max ms'],
    ...rows,
  ]);
}

/** Of the medians round by round; of the p99 over all rounds, since a round has too few questions for one of its own. */
function verdictsOf(millis) {
  return ['ingesting', 'streaming'].flatMap((key, index) => {
    const letter = 'bc'[index];
    const medians = millis[key].map(
      (values, n) => percentile(values, 0.5) / percentile(millis.alone[n], 0.5),
    );
    const p99 = (rounds) => percentile(sortedOf(rounds), 0.99);
    return [
      { what: `First token, p50 (${letter}/a)`, value: median(medians), unit: '×' },
      { what: `First token, p99 (${letter}/a)`, value: p99(millis[key]) / p99(millis.alone), unit: '×' },
      { what: `First token, p99 (${letter})`, value: p99(millis[key]), unit: ' ms', atMost: MOST_MILLIS },
    ];
  });
}
