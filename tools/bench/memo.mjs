import pg from 'pg';
import { createDatabase, product } from './database.mjs';
import { readCollection } from './memo-collection.mjs';
import { measureFirstToken } from './memo-first-token.mjs';
import { MemoIndex } from './memo-index.mjs';
import { measureQuality, measureSpeed } from './memo-measure.mjs';
import { LANGUAGES, passages, questions } from './memo-passages.mjs';
import { fullTextPeers, miniSearchPeer, oramaPeer } from './memo-peers.mjs';
import { installPeers } from './peers.mjs';
import { figure, printRows, printVerdicts } from './report.mjs';

/** Passages that are asked for to rank ten documents, each by its best one. */
const ASKED = 50;
const QUESTIONS = 300;
/** Of more the peers that hold everything in memory take minutes to be filled, and long for an answer. */
const MOST_IN_MEMORY = 10_000;
const LEAST_NDCG = { 'xquad/en': 0.97, 'xquad/zh': 0.96 };
const MOST_MILLIS = { 10_000: 20, 100_000: 60 };

/** What the benchmark works on. */
class Site {
  #workspaces = 0;

  static async open(bench) {
    const database = await createDatabase(bench, 'memo_bench');
    const url = new URL(bench.postgresUrl);
    url.pathname = '/memo_bench';
    // Of its own, since the product's pool ends statements that take as long as some here do.
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    bench.defer(() => client.end());
    const { accountId } = await product('libs/testing/src').insertAccount(database.pool, {
      balancePicos: 0n,
    });
    const { SearchService } = product('apps/memo/src/search/search.service.js');
    const searches = new SearchService(database.pool);
    return Object.assign(new Site(), {
      bench,
      client,
      accountId,
      searches,
      pool: database.pool,
      durability: database.durability,
    });
  }

  /** The product itself with these documents in a workspace of their own. */
  async fill(documents) {
    const workspaceId = `ws_bench${(this.#workspaces += 1)}`;
    const startedAt = performance.now();
    const index = await MemoIndex.create(this, workspaceId);
    for (const document of documents) await index.add(document);
    const { chunks } = await index.finish();
    const seconds = (performance.now() - startedAt) / 1000;
    const find = async (query) => {
      const { passages: found } = await this.searches.find(
        { workspaceId, accountId: this.accountId },
        query,
        ASKED,
      );
      return [...new Set(found.map(({ externalId }) => externalId))];
    };
    return { peer: { label: 'memo', find }, chunks, seconds };
  }
}

async function measureCollection(site, folder) {
  const { documents, questions: asked, name, isChinese } = await readCollection(folder);
  console.log(`\n${name}: ${documents.length} documents, ${asked.length} questions …`);
  const { peer, chunks, seconds } = await site.fill(documents);
  console.log(`${chunks} passages, put into the index in ${seconds.toFixed(1)} s.`);
  const makers = [
    () => [peer],
    () => fullTextPeers(site.client, name, documents),
    () => [miniSearchPeer(documents)],
    async () => [await oramaPeer(documents, isChinese)],
  ];
  const measured = [];
  for (const make of makers)
    for (const one of await make()) measured.push(await measureQuality(one, asked, site.bench.signal));
  printRows(`${name}, nDCG@10`, [
    ['', 'nDCG@10'],
    ...measured.map(({ label, ndcg }) => [label, figure(ndcg, 4)]),
  ]);
  const best = Math.max(...measured.slice(1).map(({ ndcg }) => ndcg));
  return [
    { what: `${name}, nDCG@10`, value: measured[0].ndcg, unit: '', digits: 4, atLeast: LEAST_NDCG[name] },
    {
      what: `${name}, nDCG@10 above the best beside it`,
      value: measured[0].ndcg - best,
      unit: '',
      digits: 4,
      atLeast: 0,
    },
  ];
}

/** @returns {Promise<object>} the product's own measurement */
async function measureSize(site, language, count) {
  const { peer, seconds } = await site.fill(passages(language, count));
  console.log(`${count} passages put into the index in ${seconds.toFixed(1)} s.`);
  const asked = questions(language, QUESTIONS);
  const measured = [await measureSpeed(peer, asked, site.bench.signal)];
  const documents = [...passages(language, count)];
  const config = language === 'English' ? 'english' : 'simple';
  const peers = await fullTextPeers(site.client, `${language}_${count}`, documents, [config]);
  if (count <= MOST_IN_MEMORY) {
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
  return measured[0];
}

async function measureLanguage(site, language, counts) {
  const verdicts = [];
  let before;
  for (const count of counts) {
    const { p50Ms } = await measureSize(site, language, count);
    const what = `${language}, ${count} passages, p50`;
    verdicts.push({ what, value: p50Ms, unit: ' ms', atMost: MOST_MILLIS[count] });
    if (before)
      verdicts.push({ what: `  of ${before.count} passages`, value: p50Ms / before.p50Ms, unit: '×' });
    before = { count, p50Ms };
  }
  return verdicts;
}

/** @param {import('./workbench.mjs').Workbench} bench @returns {Promise<string[]>} faults */
export async function benchMemo(bench, { folders, passages: counts, rounds }) {
  await installPeers(bench.signal);
  const site = await Site.open(bench);
  console.log(`\nMemo: one search after the other.\nPostgreSQL: ${site.durability}`);
  const verdicts = [];
  for (const folder of folders) verdicts.push(...(await measureCollection(site, folder)));
  for (const language of LANGUAGES) verdicts.push(...(await measureLanguage(site, language, counts)));
  const firstToken = await measureFirstToken(bench, { rounds });
  printVerdicts([...verdicts, ...firstToken.verdicts]);
  return firstToken.faults;
}
