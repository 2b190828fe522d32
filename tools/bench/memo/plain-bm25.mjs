import { loadBuilt } from '../setup/built-modules.mjs';

/** Lucene's defaults. */
const K1 = 1.2;
const B = 0.75;
const LANGUAGE = 'en';
const FOUND = 10;

/** @import { Document } from './collection.mjs' @import { Peer } from './peers.mjs' */

/**
 * Plain BM25 with Lucene's defaults over whole documents: the product's terms, but nothing else of its ranking.
 * @param {Document[]} documents
 * @returns {Peer}
 */
export function plainBm25Peer(documents) {
  const { termsOf } = loadBuilt('apps/memo/src/retrieval/analysis/terms');
  /** @type {Map<string, Map<number, number>>} frequencies by document index, by term */
  const postings = new Map();
  const lengths = documents.map(({ title, text }, index) => {
    const terms = termsOf(`${title}\n${text}`, LANGUAGE);
    for (const term of terms) {
      const ofTerm = postings.get(term) ?? new Map();
      postings.set(term, ofTerm.set(index, (ofTerm.get(index) ?? 0) + 1));
    }
    return terms.length;
  });
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  /** @type {Peer['find']} */
  const find = async (query) => {
    /** @type {Map<number, number>} */
    const scores = new Map();
    for (const term of termsOf(query, LANGUAGE)) {
      const ofTerm = postings.get(term);
      if (!ofTerm) continue;
      const rarity = Math.log(1 + (lengths.length - ofTerm.size + 0.5) / (ofTerm.size + 0.5));
      for (const [index, frequency] of ofTerm) {
        const norm = K1 * (1 - B + (B * (lengths[index] ?? 0)) / averageLength);
        scores.set(index, (scores.get(index) ?? 0) + (rarity * frequency) / (frequency + norm));
      }
    }
    const best = [...scores].sort(([, one], [, other]) => other - one).slice(0, FOUND);
    return best.map(([index]) => documents[index]?.id ?? '');
  };
  return { label: 'BM25, k1 1.2, b 0.75', find };
}
