import { product } from './database.mjs';

/** Documents that one statement inserts. */
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
 * A workspace that holds documents as the product stores them: cut by its chunker, read by its analysis, in segments of its
 * index, merged. Written in bulk, since it is not ingestion that is measured.
 */
export class MemoIndex {
  #next = 0;
  #documents = [];
  #segmentFirst = 0;

  constructor({ bench, pool, client, accountId }, workspaceId, parts) {
    Object.assign(this, { bench, pool, client, accountId, workspaceId, parts });
    this.builder = new parts.SegmentBuilder();
  }

  /** @param site where, and for whom: `{ bench, pool, client, accountId }` */
  static async create(site, workspaceId) {
    const { PassageAnalyzer } = product('apps/memo/src/analysis/passage-terms.js');
    const parts = {
      ...product('apps/memo/src/ingestion/chunker.js'),
      ...product('apps/memo/src/index/segment-builder.js'),
      ...product('apps/memo/src/index/segment-store.js'),
      analyzer: await PassageAnalyzer.load(),
    };
    await site.pool.query(INSERT_WORKSPACE, [workspaceId, site.accountId]);
    return new MemoIndex(site, workspaceId, parts);
  }

  /** @param {{ id: string, title: string, text: string }} document */
  async add({ id, title, text }) {
    const chunker = new this.parts.Chunker();
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
      const { terms, language } = this.parts.analyzer.analyze(title, chunk.text);
      this.builder.add(terms, language);
      document.words += terms.length;
      if (this.builder.isFull) await this.#writeSegment();
    }
    this.#next += chunks.length;
    this.#documents.push(document);
    if (this.#documents.length >= BATCH) await this.#writeDocuments();
  }

  async finish() {
    await this.#writeDocuments();
    await this.#writeSegment();
    const { mergeSegments } = product('apps/memo/src/index/merge.js');
    while (await mergeSegments(this.pool, this.workspaceId, this.bench.signal));
    for (const table of ['segments', 'postings', 'documents', 'document_versions', 'chunks'])
      await this.client.query(`VACUUM (ANALYZE) memo.${table}`);
    return { chunks: this.#next };
  }

  async #writeDocuments() {
    this.bench.signal.throwIfAborted();
    const documents = this.#documents.splice(0);
    if (documents.length === 0) return;
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
    const fields = ['id', 'n', 'start', 'lead', 'text'];
    const values = fields.map((field) => chunks.map((chunk) => chunk[field]));
    await this.pool.query(INSERT_CHUNKS, values);
  }

  async #writeSegment() {
    if (this.builder.chunks === 0) return;
    const { segment, postings } = this.builder.build();
    const place = { workspaceId: this.workspaceId, firstChunk: this.#segmentFirst };
    const id = await this.parts.insertSegment(this.pool, place, segment);
    await this.parts.insertPostings(this.pool, id, postings);
    this.#segmentFirst += segment.chunks;
    this.builder = new this.parts.SegmentBuilder();
  }
}
