import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';

/**
 * @typedef {{ id: string, title: string, text: string }} Document
 * @typedef {{ text: string, relevant: Map<string, number> }} Question `relevant`: the grade of relevance by document id
 * @typedef {{ name: string, documents: Document[], questions: Question[], isChinese: boolean }} Collection
 */

const MAX_QUERY_CHARS = 4_000;
const RANKED = 10;

/**
 * Reads a collection in the layout of BEIR: corpus.jsonl, queries.jsonl, qrels/test.tsv.
 * @param {string} folder
 * @returns {Promise<Collection>}
 */
export async function readCollection(folder) {
  /** @type {Map<string, Map<string, number>>} */
  const judgements = new Map();
  for (const line of (await readLines(path.join(folder, 'qrels/test.tsv'))).slice(1)) {
    const [question = '', document = '', grade] = line.split('\t');
    if (!(Number(grade) > 0)) continue;
    const relevant = judgements.get(question) ?? new Map();
    judgements.set(question, relevant.set(document, Number(grade)));
  }
  /** @param {string} file @returns {Promise<{ _id: string | number, title?: string, text: string }[]>} */
  const read = async (file) => (await readLines(path.join(folder, file))).map((line) => JSON.parse(line));
  const documents = (await read('corpus.jsonl')).map(({ _id, title, text }) => ({
    id: String(_id),
    title: storable(title),
    text: storable(text),
  }));
  const questions = (await read('queries.jsonl')).flatMap(({ _id, text }) => {
    const relevant = judgements.get(String(_id));
    return relevant ? [{ text: text.slice(0, MAX_QUERY_CHARS), relevant }] : [];
  });
  const name = path.resolve(folder).split(path.sep).slice(-2).join('/');
  return { name, documents, questions, isChinese: isChinese(documents) };
}

/** Some documents have no title, and some have characters that PostgreSQL rejects. @param {string | undefined} text */
const storable = (text) => (text ?? '').replaceAll('\0', '').toWellFormed();

/** @param {string} file @returns {Promise<string[]>} without empty lines */
async function readLines(file) {
  /** @type {string[]} */
  const lines = [];
  for await (const line of readline.createInterface({
    input: fs.createReadStream(file),
    crlfDelay: Infinity,
  }))
    if (line !== '') lines.push(line);
  return lines;
}

/** @param {Document[]} documents */
function isChinese(documents) {
  const sample = documents
    .slice(0, 20)
    .map(({ text }) => text)
    .join('');
  return (sample.match(/\p{Script=Han}/gu) ?? []).length > sample.length * 0.2;
}

/**
 * nDCG@10 as defined by trec_eval: the gain of a document is its grade.
 * @param {string[]} ranked document ids, best first
 * @param {Map<string, number>} relevant
 */
export function ndcg(ranked, relevant) {
  /** @param {number[]} grades in the order of the ranking */
  const discounted = (grades) => grades.reduce((sum, grade, place) => sum + grade / Math.log2(place + 2), 0);
  const ideal = [...relevant.values()].sort((one, other) => other - one).slice(0, RANKED);
  return discounted(ranked.slice(0, RANKED).map((id) => relevant.get(id) ?? 0)) / discounted(ideal);
}
