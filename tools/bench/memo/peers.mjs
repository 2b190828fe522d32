import { createRequire } from 'node:module';
import { peersFolder } from '../setup/peer-packages.mjs';
import { root } from '../setup/workbench.mjs';

/**
 * @import { Document } from './collection.mjs'
 *
 * @typedef {object} Peer a search engine over the same documents
 * @property {string} label
 * @property {(query: string) => Promise<string[]>} find returns document ids, best first
 */

const BATCH = 2_000;
const FOUND = 10;

const requirePeer = createRequire(`${peersFolder}package.json`);
const requireOwn = createRequire(`${root}/package.json`);

/**
 * Full text search of PostgreSQL: any of the words, ranked by ts_rank, with a GIN index.
 * @param {import('pg').Client} client
 * @param {string} name of the table
 * @param {Document[]} documents
 * @param {string[]} configs one peer for each
 * @returns {Promise<Peer[]>}
 */
export async function fullTextPeers(client, name, documents, configs = ['english', 'simple']) {
  const table = client.escapeIdentifier(`peer_${name}`);
  await client.query(`CREATE TABLE ${table} (id text, english tsvector, simple tsvector)`);
  for (let from = 0; from < documents.length; from += BATCH) {
    const batch = documents.slice(from, from + BATCH);
    await client.query(
      `INSERT INTO ${table} SELECT id, to_tsvector('english', t), to_tsvector('simple', t)
       FROM unnest($1::text[], $2::text[]) AS u(id, t)`,
      [batch.map(({ id }) => id), batch.map(textOf)],
    );
  }
  for (const config of configs) await client.query(`CREATE INDEX ON ${table} USING gin (${config})`);
  await client.query(`VACUUM ANALYZE ${table}`);
  return configs.map((config) => ({
    label: `ts_rank, ${config}`,
    find: async (query) => {
      const { rows } = await client.query({
        name: `peer-${name}-${config}`,
        text: `
          WITH q AS (SELECT string_agg(quote_literal(word), ' | ')::tsquery AS q
            FROM unnest(tsvector_to_array(to_tsvector('${config}', $1))) word)
          SELECT id FROM ${table}, q WHERE ${config} @@ q ORDER BY ts_rank(${config}, q, 1) DESC, id LIMIT ${FOUND}`,
        values: [query],
      });
      return rows.map(({ id }) => id);
    },
  }));
}

/** @param {Document[]} documents @returns {Peer} */
export function miniSearchPeer(documents) {
  /** @type {new (options: object) => { addAll(documents: Document[]): void, search(query: string): { id: string }[] }} */
  const MiniSearch = requirePeer('minisearch');
  const index = new MiniSearch({ fields: ['title', 'text'] });
  index.addAll(documents);
  return {
    label: 'MiniSearch',
    find: async (query) =>
      index
        .search(query)
        .slice(0, FOUND)
        .map(({ id }) => id),
  };
}

/**
 * Orama with its own tokenizer or stemmer for the language.
 * @param {Document[]} documents
 * @param {boolean} isChinese
 * @returns {Promise<Peer>}
 */
export async function oramaPeer(documents, isChinese) {
  const { create, insertMultiple, search } = requirePeer('@orama/orama');
  const tokenizer = isChinese
    ? await requirePeer('@orama/tokenizers/mandarin').createTokenizer({ language: 'mandarin' })
    : { language: 'english', stemming: true, stemmer: requireOwn('@orama/stemmers/english').stemmer };
  const index = create({
    schema: { key: 'string', title: 'string', text: 'string' },
    components: { tokenizer },
  });
  await insertMultiple(
    index,
    documents.map(({ id, title, text }) => ({ key: id, title, text })),
  );
  const properties = ['title', 'text'];
  return {
    label: 'Orama',
    find: async (term) => {
      /** @type {{ hits: { document: { key: string } }[] }} */
      const { hits } = await search(index, { term, properties, limit: FOUND, threshold: 1 });
      return hits.map(({ document }) => document.key);
    },
  };
}

/** @param {Document} document */
const textOf = ({ title, text }) => (title ? `${title}\n${text}` : text);
