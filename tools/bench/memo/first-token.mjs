import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../setup/errors.mjs';
import { figure, median, percentile, printRows } from '../measuring/report.mjs';
import { BOUNDARY, DOCUMENTS, openSite, QUESTIONS } from './first-token-site.mjs';

const STREAMS = 50;
/** Timeout for the removal of everything that was ingested of a deleted file. */
const CLEANUP_TIMEOUT_MS = 120_000;
const FIRST_DATA = /^data: /m;

/**
 * @import { Workbench } from '../setup/workbench.mjs'
 * @import { Site } from './first-token-site.mjs'
 *
 * @typedef {'alone' | 'ingesting' | 'streaming'} TurnKey
 * @typedef {Record<TurnKey, Float64Array[]>} Millis by round, each in ascending order
 * @typedef {{ millis: number, ended: Promise<string>, leave: () => void }} Chat `ended`: resolves with the whole response
 */

/**
 * Measures the time to the first text of a chat, alone and concurrently with other work.
 * @param {Workbench} bench
 * @param {{ rounds: number }} options including a warm-up round
 * @returns {Promise<{ verdicts: import('../measuring/report.mjs').Verdict[], faults: string[] }>}
 */
export async function measureFirstToken(bench, { rounds }) {
  const site = await openSite(bench);
  /** @type {Millis} */
  const millis = { alone: [], ingesting: [], streaming: [] };
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
    return { verdicts: [], faults: [`first token: ${messageOf(error)}`] };
  } finally {
    site.connection.destroy();
    for (const service of [site.memo, site.model]) await service.stop();
  }
  print(millis, rounds);
  return { verdicts: verdictsOf(millis), faults: [] };
}

/** Unnoticeable compared with the time that a model takes. */
const MAX_FIRST_TOKEN_MS = 100;
/** @type {{ key: TurnKey, label: string, measure: (site: Site) => Promise<Float64Array> }[]} */
const TURNS = [
  { key: 'alone', label: '(a) alone', measure: (site) => askAll(site) },
  { key: 'ingesting', label: '(b) during the ingestion of 50 MB', measure: askWhileIngesting },
  { key: 'streaming', label: `(c) concurrent with ${STREAMS} chats`, measure: askWhileStreaming },
];

/**
 * Asks the questions sequentially.
 * @param {Site} site
 * @returns {Promise<Float64Array>} milliseconds until the first text, in ascending order
 */
async function askAll(site) {
  /** @type {number[]} */
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

/**
 * @param {Pick<Site, 'url' | 'key' | 'connection'>} site
 * @param {string} query
 * @returns {Promise<Chat>} resolves when the first text arrives
 */
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
        /** @type {Promise<string>} */
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

/** Deletes the file before its ingestion ends, so that the workspace does not change. @param {Site} site */
async function askWhileIngesting(site) {
  const headers = { 'x-api-key': site.key };
  const response = await fetch(`${site.url}/documents`, {
    method: 'POST',
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: site.file,
  });
  if (response.status !== 201) throw new Error(`documents: ${response.status} ${await response.text()}`);
  const { id } = /** @type {{ id: string }} */ (await response.json());
  const find = async () => {
    const found = await fetch(`${site.url}/documents/${id}`, { headers });
    return /** @type {{ status: string, error?: { message: string } }} */ (await found.json());
  };
  while ((await find()).status === 'queued') await sleep(50, undefined, { signal: site.bench.signal });
  const values = await askAll(site);
  const { status, error } = await find();
  if (status !== 'processing')
    throw new Error(`the ingestion of the file ended early: ${status} ${error?.message ?? ''}`);
  await fetch(`${site.url}/documents/${id}`, { method: 'DELETE', headers });
  await untilCleaned(site, id);
  return values;
}

/** @param {Site} site @param {string} id of the document */
async function untilCleaned({ bench, pool }, id) {
  const left = `
    SELECT FROM memo.chunks WHERE document_id = $1 UNION ALL SELECT FROM memo.segments WHERE document_id = $1
    UNION ALL SELECT FROM memo.garbage LIMIT 1`;
  const isLeft = async () => ((await pool.query(left, [id])).rowCount ?? 0) > 0;
  for (const deadline = Date.now() + CLEANUP_TIMEOUT_MS; await isLeft();) {
    if (Date.now() > deadline) throw new Error('the chunks of the deleted file have not been removed');
    await sleep(100, undefined, { signal: bench.signal });
  }
}

/** @param {Site} site */
async function askWhileStreaming(site) {
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

/** @param {Float64Array[]} rounds @returns {Float64Array} all values in ascending order */
const sortedOf = (rounds) => Float64Array.from(rounds.flatMap((values) => [...values])).sort();

/** @param {Millis} millis @param {number} rounds */
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

/**
 * Ratios of the medians are taken by round. The p99 is taken over all rounds, because one round has too few questions.
 * @param {Millis} millis
 * @returns {import('../measuring/report.mjs').Verdict[]}
 */
function verdictsOf(millis) {
  /** @type {{ key: TurnKey, letter: string }[]} */
  const compared = [
    { key: 'ingesting', letter: 'b' },
    { key: 'streaming', letter: 'c' },
  ];
  return compared.flatMap(({ key, letter }) => {
    const medians = millis[key].map(
      (values, n) => percentile(values, 0.5) / percentile(millis.alone[n] ?? [], 0.5),
    );
    /** @param {Float64Array[]} rounds */
    const p99 = (rounds) => percentile(sortedOf(rounds), 0.99);
    return [
      { what: `First token, p50 (${letter}/a)`, value: median(medians), unit: '×' },
      { what: `First token, p99 (${letter}/a)`, value: p99(millis[key]) / p99(millis.alone), unit: '×' },
      {
        what: `First token, p99 (${letter})`,
        value: p99(millis[key]),
        unit: ' ms',
        atMost: MAX_FIRST_TOKEN_MS,
      },
    ];
  });
}
