import pg from 'pg';
import { loadBuilt } from '../setup/built-modules.mjs';
import { createDatabase } from '../setup/database.mjs';
import { ndcg, readCollection } from './collection.mjs';
import { measureFirstToken } from './first-token.mjs';
import { IndexLoader } from './index-loader.mjs';
import { LANGUAGES, passages, questions } from './generated-passages.mjs';
import { plainBm25Peer } from './plain-bm25.mjs';
import { fullTextPeers, miniSearchPeer, oramaPeer } from './peers.mjs';
import { measureUploads } from './uploads.mjs';
import { installPeers } from '../setup/peer-packages.mjs';
import { figure, percentile, printRows, printVerdicts } from '../measuring/report.mjs';

/** Questions that are not timed, because caches are empty at first. */
const WARM_UP = 30;

/** @param {Peer} peer @param {import('./collection.mjs').Question[]} questions @param {AbortSignal} signal */
async function measureQuality(peer, questions, signal) {
  let sum = 0;
  for (const { text, relevant } of questions) {
    signal.throwIfAborted();
    sum += ndcg(await peer.find(text), relevant);
  }
  return { label: peer.label, ndcg: sum / questions.length };
}

/** Asks the questions sequentially. @param {Peer} peer @param {string[]} questions @param {AbortSignal} signal */
async function measureSpeed(peer, questions, signal) {
  for (const question of questions.slice(0, WARM_UP)) await peer.find(question);
  const before = process.cpuUsage();
  /** @type {number[]} */
  const millis = [];
  for (const question of questions) {
    signal.throwIfAborted();
    const startedAt = performance.now();
    await peer.find(question);
    millis.push(performance.now() - startedAt);
  }
  const { user, system } = process.cpuUsage(before);
  millis.sort((one, other) => one - other);
  return {
    label: peer.label,
    p50Ms: percentile(millis, 0.5),
    p95Ms: percentile(millis, 0.95),
    cpuMs: (user + system) / 1000 / questions.length,
  };
}

/** Requested passages. The best passage of a document determines its rank; ten documents are ranked. */
const REQUESTED_PASSAGES = 50;
const QUESTIONS = 300;
/** With more passages, the peers that work in memory take minutes to load, and are slow. */
const MAX_IN_MEMORY = 10_000;
/** @type {Record<string, number>} by collection */
const MIN_NDCG = { 'xquad/en': 0.97, 'xquad/zh': 0.96 };
/** @type {Record<number, number>} by the number of passages */
const MAX_MILLIS = { 10_000: 20, 100_000: 15 };

/** @type {Record<string, number>} by language and number of passages */
const MAX_LOAD_SECONDS = { 'Chinese 100000': 90 };

/**
 * @import { Verdict } from '../measuring/report.mjs'
 * @import { Document } from './collection.mjs'
 * @import { Language } from './generated-passages.mjs'
 * @import { Peer } from './peers.mjs'
 */

/** The database that the benchmark works on. */
class Site {
  #workspaces = 0;

  /**
   * @param {import('./index-loader.mjs').IndexSite & { durability: string,
   *   searches: import('../../../apps/memo/src/retrieval/search/search.service.ts').SearchService }} parts
   */
  constructor({ bench, pool, client, accountId, durability, searches }) {
    this.bench = bench;
    this.pool = pool;
    this.client = client;
    this.accountId = accountId;
    this.durability = durability;
    this.searches = searches;
  }

  /** @param {import('../setup/workbench.mjs').Workbench} bench */
  static async open(bench) {
    const database = await createDatabase(bench, 'memo_bench');
    const url = new URL(bench.postgresUrl);
    url.pathname = '/memo_bench';
    // The pool of the product has a statement timeout that some statements here exceed.
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    bench.defer(() => client.end());
    const { accountId } = await loadBuilt('libs/testing/src').insertAccount(database.pool, {
      balancePicos: 0n,
    });
    const { SearchService } = loadBuilt('apps/memo/src/retrieval/search/search.service');
    const searches = new SearchService(database.pool);
    const { pool, durability } = database;
    return new Site({ bench, client, accountId, searches, pool, durability });
  }

  /** Loads documents into a new workspace of the product. @param {Iterable<Document>} documents */
  async fill(documents) {
    const workspaceId = `ws_bench${(this.#workspaces += 1)}`;
    const startedAt = performance.now();
    const index = await IndexLoader.create(this, workspaceId);
    for (const document of documents) await index.add(document);
    const { chunks } = await index.finish();
    const seconds = (performance.now() - startedAt) / 1000;
    /** @type {Peer['find']} */
    const find = async (query) => {
      const { passages: found } = await this.searches.find(
        { workspaceId, accountId: this.accountId },
        { query, k: REQUESTED_PASSAGES },
      );
      return [...new Set(found.map(({ externalId }) => externalId ?? ''))];
    };
    return { peer: { label: 'memo', find }, chunks, seconds };
  }
}

/** @param {Site} site @param {string} folder @returns {Promise<Verdict[]>} */
async function measureCollection(site, folder) {
  const { documents, questions: asked, name, isChinese } = await readCollection(folder);
  console.log(`\n${name}: ${documents.length} documents, ${asked.length} questions …`);
  const { peer, chunks, seconds } = await site.fill(documents);
  console.log(`${chunks} passages, put into the index in ${seconds.toFixed(1)} s.`);
  /** @type {(() => Peer[] | Promise<Peer[]>)[]} */
  const makers = [
    () => fullTextPeers(site.client, name, documents),
    () => [plainBm25Peer(documents)],
    () => [miniSearchPeer(documents)],
    async () => [await oramaPeer(documents, isChinese)],
  ];
  const own = await measureQuality(peer, asked, site.bench.signal);
  const others = [];
  for (const make of makers)
    for (const one of await make()) others.push(await measureQuality(one, asked, site.bench.signal));
  printRows(`${name}, nDCG@10`, [
    ['', 'nDCG@10'],
    ...[own, ...others].map(({ label, ndcg }) => [label, figure(ndcg, 4)]),
  ]);
  const best = Math.max(...others.map(({ ndcg }) => ndcg));
  return [
    { what: `${name}, nDCG@10`, value: own.ndcg, unit: '', digits: 4, atLeast: MIN_NDCG[name] },
    {
      what: `${name}, nDCG@10, lead over the best peer`,
      value: own.ndcg - best,
      unit: '',
      digits: 4,
      atLeast: 0,
    },
  ];
}

/** @param {Site} site @param {Language} language @param {number} count of passages @returns the p50 of the product, and the seconds that it took to index the passages */
async function measureSize(site, language, count) {
  // Beforehand, because generating them takes as long as a third of indexing them.
  const documents = [...passages(language, count)];
  const { peer, seconds } = await site.fill(documents);
  console.log(`${count} passages put into the index in ${seconds.toFixed(1)} s.`);
  const asked = questions(language, QUESTIONS);
  const own = await measureSpeed(peer, asked, site.bench.signal);
  const measured = [own];
  const config = language === 'English' ? 'english' : 'simple';
  const peers = await fullTextPeers(site.client, `${language}_${count}`, documents, [config]);
  if (count <= MAX_IN_MEMORY) {
    peers.push(miniSearchPeer(documents));
    peers.push(await oramaPeer(documents, language === 'Chinese'));
  }
  const few = asked.slice(0, QUESTIONS / 5);
  for (const one of peers) measured.push(await measureSpeed(one, few, site.bench.signal));
  printRows(`${language}, ${count} passages`, [
    ['', 'p50 ms', 'p95 ms', 'CPU ms/search'],
    ...measured.map(({ label, p50Ms, p95Ms, cpuMs }) => [
      label,
      ...[p50Ms, p95Ms, cpuMs].map((ms) => figure(ms, 2)),
    ]),
  ]);
  return { p50Ms: own.p50Ms, seconds };
}

/** @param {Site} site @param {Language} language @param {number[]} counts @returns {Promise<Verdict[]>} */
async function measureLanguage(site, language, counts) {
  /** @type {Verdict[]} */
  const verdicts = [];
  /** @type {{ count: number, p50Ms: number } | undefined} */
  let before;
  for (const count of counts) {
    const { p50Ms, seconds } = await measureSize(site, language, count);
    verdicts.push({
      what: `${language}, ${count} passages put into the index`,
      value: seconds,
      unit: ' s',
      atMost: MAX_LOAD_SECONDS[`${language} ${count}`],
    });
    const what = `${language}, ${count} passages, p50`;
    verdicts.push({ what, value: p50Ms, unit: ' ms', atMost: MAX_MILLIS[count] });
    if (before)
      verdicts.push({
        what: `  relative to ${before.count} passages`,
        value: p50Ms / before.p50Ms,
        unit: '×',
      });
    before = { count, p50Ms };
  }
  return verdicts;
}

/** @type {import('../setup/workbench.mjs').Benchmark} */
export async function benchMemo(bench, { folders, passages: counts, rounds }) {
  await installPeers(bench.signal);
  const site = await Site.open(bench);
  console.log(`\nMemo: one search after the other.\nPostgreSQL: ${site.durability}`);
  /** @type {Verdict[]} */
  const verdicts = [];
  for (const folder of folders) verdicts.push(...(await measureCollection(site, folder)));
  for (const language of LANGUAGES) verdicts.push(...(await measureLanguage(site, language, counts)));
  const uploads = await measureUploads(bench);
  const firstToken = await measureFirstToken(bench, { rounds });
  printVerdicts([...verdicts, ...uploads.verdicts, ...firstToken.verdicts]);
  return [...uploads.faults, ...firstToken.faults];
}
