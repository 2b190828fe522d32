import path from 'node:path';
import { findMisplacedDataAccess, readDataAccess } from './data-access.mjs';

/**
 * Prints how much data access there is in apps and libraries: `node tools/lint/count-data-access.mjs [--list] [folder]`.
 * `--list` also prints what is not in its place, and the row types and mapping functions. `folder`: another checkout.
 *
 * @typedef {import('./data-access.mjs').FileFacts} FileFacts
 */

const args = process.argv.slice(2);
const isListed = args.includes('--list');
const [folder = path.join(import.meta.dirname, '../..')] = args.filter((arg) => arg !== '--list');
const facts = readDataAccess(path.resolve(folder));

/** @type {[what: string, count: (facts: FileFacts) => number][]} */
const COUNTS = [
  ['SQL literals', ({ literals }) => literals.length],
  ['  of them statements', ({ literals }) => literals.filter(({ isStatement }) => isStatement).length],
  ['calls of query', ({ queries }) => queries.length],
  ['row types, inline', ({ inlineRowTypes }) => inlineRowTypes.length],
  ['mapping functions', ({ mappers }) => mappers.length],
  ['files with data access', ({ lines }) => Math.min(1, lines)],
  ['lines of data access', ({ lines }) => lines],
];

/** @param {(facts: FileFacts) => number} count @param {boolean} isDataFile */
const sumOf = (count, isDataFile) =>
  facts.filter((file) => file.isDataFile === isDataFile).reduce((sum, file) => sum + count(file), 0);

console.log(`${''.padEnd(24)}${'data files'.padStart(12)}${'elsewhere'.padStart(12)}${'all'.padStart(8)}`);
for (const [what, count] of COUNTS) {
  const [inside, outside] = [sumOf(count, true), sumOf(count, false)];
  console.log(
    `${what.padEnd(24)}${String(inside).padStart(12)}${String(outside).padStart(12)}${String(inside + outside).padStart(8)}`,
  );
}
// A type may be given to queries of several files.
const rowTypes = [...new Set(facts.flatMap((file) => file.rowTypes))].sort();
console.log(`${'row types, named'.padEnd(24)}${String(rowTypes.length).padStart(32)}`);

if (isListed) {
  const mappers = facts.flatMap(({ file, mappers: found }) =>
    found.map(({ line, name }) => `${file}:${line}: ${name}`),
  );
  const misplaced = findMisplacedDataAccess(facts).map(({ place, problem }) => `${place}: ${problem}`);
  console.log(`\nMisplaced\n${misplaced.join('\n')}`);
  console.log(`\nRow types\n${rowTypes.join('\n')}\n\nMapping functions\n${mappers.join('\n')}`);
}
