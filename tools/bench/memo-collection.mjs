import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';

/**
 * @typedef {{ id: string, title: string, text: string }} Document
 * @typedef {{ text: string, relevant: Map<string, number> }} Question what is relevant to it, by document, and how much
 * @typedef {{ name: string, documents: Document[], questions: Question[], isChinese: boolean }} Collection
 */

const MAX_QUERY_CHARS = 4_000;
const RANKED = 10;

/** A folder in BEIR's layout: corpus.jsonl, queries.jsonl, qrels/test.tsv. @returns {Promise<Collection>} */
export async function readCollection(folder) {
  const relevant = new Map();
  for (const line of (await readLines(path.join(folder, 'qrels/test.tsv'))).slice(1)) {
    const [question, document, grade] = line.split('\t');
    if (!(Number(grade) > 0)) continue;
    if (!relevant.has(question)) relevant.set(question, new Map());
    relevant.get(question).set(document, Number(grade));
  }
  const read = async (file) => (await readLines(path.join(folder, file))).map((line) => JSON.parse(line));
  const documents = (await read('corpus.jsonl')).map(({ _id, title, text }) => ({
    id: String(_id),
    title: storable(title),
    text: storable(text),
  }));
  const questions = (await read('queries.jsonl'))
    .filter(({ _id }) => relevant.has(String(_id)))
    .map(({ _id, text }) => ({ text: text.slice(0, MAX_QUERY_CHARS), relevant: relevant.get(String(_id)) }));
  const name = path.resolve(folder).split(path.sep).slice(-2).join('/');
  return { name, documents, questions, isChinese: isChinese(documents) };
}

/** Some collections have documents without a title, and characters that PostgreSQL does not keep. */
const storable = (text) => (text ?? '').replaceAll('\0', '').toWellFormed();

async function readLines(file) {
  const lines = [];
  for await (const line of readline.createInterface({
    input: fs.createReadStream(file),
    crlfDelay: Infinity,
  }))
    if (line !== '') lines.push(line);
  return lines;
}

function isChinese(documents) {
  const sample = documents
    .slice(0, 20)
    .map(({ text }) => text)
    .join('');
  return (sample.match(/\p{Script=Han}/gu) ?? []).length > sample.length * 0.2;
}

/** As trec_eval computes it: the gain of a document is its grade. @param {string[]} ranked document ids, best first */
export function ndcg(ranked, relevant) {
  const discounted = (grades) => grades.reduce((sum, grade, place) => sum + grade / Math.log2(place + 2), 0);
  const ideal = [...relevant.values()].sort((one, other) => other - one).slice(0, RANKED);
  return discounted(ranked.slice(0, RANKED).map((id) => relevant.get(id) ?? 0)) / discounted(ideal);
}
