import { loadBuilt } from '../setup/built-modules.mjs';

/**
 * @import { Document } from './collection.mjs'
 *
 * @typedef {object} IndexSite
 * @property {import('../setup/workbench.mjs').Workbench} bench
 * @property {import('../setup/database.mjs').Database['pool']} pool
 * @property {import('pg').Client} client without a statement timeout
 * @property {string} accountId of the owner of the workspaces
 *
 * @typedef {import('../../../apps/memo/src/ingestion/extraction-thread/chunker.ts').Chunk} Chunk
 * @typedef {{ id: string, externalId: string, title: string, first: number, words: number, chunks: Chunk[] }} IndexedDocument
 *   `first`: the number of its first chunk in the workspace
 */

/** Documents per INSERT statement. */
const BATCH = 500;

const INSERT_WORKSPACE = "INSERT INTO memo.workspaces (id, name, created_by) VALUES ($1, 'Benchmark', $2)";
const INSERT_DOCUMENTS = `
  INSERT INTO memo.documents (id, workspace_id, external_id, version, serving_version, created_by)
  SELECT id, $1, external_id, 1, 1, $2 FROM unnest($3::text[], $4::text[]) AS u(id, external_id)`;
const INSERT_VERSIONS = `
  INSERT INTO memo.document_versions (document_id, version, workspace_id, title, metadata, media_type, bytes, sha256,
    uploaded_by, status, first_chunk, chunk_count, words)
  SELECT id, 1, $1, title, '{}', 'text/plain', 0, '', $2, 'ready', first, chunks, words
  FROM unnest($3::text[], $4::text[], $5::bigint[], $6::integer[], $7::bigint[]) AS u(id, title, first, chunks, words)`;
const INSERT_CHUNKS = `
  INSERT INTO memo.chunks (document_id, version, n, start_at, lead, text)
  SELECT id, 1, n, start, lead, text
  FROM unnest($1::text[], $2::integer[], $3::integer[], $4::text[], $5::text[]) AS u(id, n, start, lead, text)`;

/**
 * Loads documents into a workspace with the chunker, analyzer and index of the product. Inserts in bulk, because ingestion
 * is not measured.
 */
export class IndexLoader {
  #next = 0;
  /** @type {IndexedDocument[]} */
  #documents = [];
  #segmentFirst = 0;

  /**
   * @param {IndexSite} site
   * @param {string} workspaceId
   * @param {import('../../../apps/memo/src/retrieval/analysis/passage-analyzer.ts').PassageAnalyzer} analyzer
   */
  constructor({ bench, pool, client, accountId }, workspaceId, analyzer) {
    this.bench = bench;
    this.pool = pool;
    this.client = client;
    this.accountId = accountId;
    this.workspaceId = workspaceId;
    this.analyzer = analyzer;
    this.builder = newSegmentBuilder();
  }

  /** @param {IndexSite} site @param {string} workspaceId created here */
  static async create(site, workspaceId) {
    const { PassageAnalyzer } = loadBuilt('apps/memo/src/retrieval/analysis/passage-analyzer');
    const analyzer = await PassageAnalyzer.load();
    await site.pool.query(INSERT_WORKSPACE, [workspaceId, site.accountId]);
    return new IndexLoader(site, workspaceId, analyzer);
  }

  /** @param {Document} document */
  async add({ id, title, text }) {
    const { Chunker } = loadBuilt('apps/memo/src/ingestion/extraction-thread/chunker');
    const chunker = new Chunker();
    const chunks = [...chunker.push(text), ...chunker.end()];
    if (chunks.length === 0) return;
    const document = {
      id: `${this.workspaceId}_${id}`,
      externalId: id,
      title,
      first: this.#next,
      words: 0,
      chunks,
    };
    for (const chunk of chunks) {
      const before = this.builder.words;
      this.builder.add(this.analyzer.analyze(title, chunk.text));
      document.words += this.builder.words - before;
      if (this.builder.isFull) await this.#writeSegment();
    }
    this.#next += chunks.length;
    this.#documents.push(document);
    if (this.#documents.length >= BATCH) await this.#writeDocuments();
  }

  async finish() {
    await this.#writeDocuments();
    await this.#writeSegment();
    const { mergeSegments } = loadBuilt('apps/memo/src/retrieval/index/segment-merge');
    while (await mergeSegments(this.pool, this.workspaceId, this.bench.signal));
    for (const table of ['segments', 'postings', 'documents', 'document_versions', 'chunks'])
      await this.client.query(`VACUUM (ANALYZE) memo.${table}`);
    return { chunks: this.#next };
  }

  async #writeDocuments() {
    this.bench.signal.throwIfAborted();
    const documents = this.#documents.splice(0);
    if (documents.length === 0) return;
    /** @template T @param {(document: IndexedDocument) => T} of */
    const column = (of) => documents.map(of);
    const [owner, ids] = [[this.workspaceId, this.accountId], column(({ id }) => id)];
    await this.pool.query(INSERT_DOCUMENTS, [...owner, ids, column(({ externalId }) => externalId)]);
    await this.pool.query(INSERT_VERSIONS, [
      ...owner,
      ids,
      column(({ title }) => title),
      column(({ first }) => first),
      column(({ chunks }) => chunks.length),
      column(({ words }) => words),
    ]);
    const chunks = documents.flatMap(({ id, chunks: own }) => own.map((chunk) => ({ id, ...chunk })));
    await this.pool.query(INSERT_CHUNKS, [
      chunks.map(({ id }) => id),
      chunks.map(({ n }) => n),
      chunks.map(({ startAt }) => startAt),
      chunks.map(({ lead }) => lead),
      chunks.map(({ text }) => text),
    ]);
  }

  async #writeSegment() {
    if (this.builder.chunks === 0) return;
    const { segment, postings } = this.builder.build();
    const place = { workspaceId: this.workspaceId, firstChunk: this.#segmentFirst };
    const { insertSegment } = loadBuilt('apps/memo/src/retrieval/index/storage/segments.repository');
    const { insertPostings } = loadBuilt('apps/memo/src/retrieval/index/storage/postings.repository');
    const id = await insertSegment(this.pool, place, segment);
    await insertPostings(this.pool, id, postings);
    this.#segmentFirst += segment.chunks;
    this.builder = newSegmentBuilder();
  }
}

function newSegmentBuilder() {
  const { SegmentBuilder } = loadBuilt('apps/memo/src/retrieval/index/segment-builder');
  return new SegmentBuilder();
}
