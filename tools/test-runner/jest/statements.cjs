const { appendFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const pg = require('pg');

/**
 * Records every SQL statement that the product's code runs in a test: who runs it, its text, and which parameters were null. The
 * test runner judges them (tools/statements).
 */

const ROOT = join(__dirname, '../../..');
/** From a repository through TypeORM to the driver there are more frames than the default of ten. Few statements need all of them. */
const FRAMES = [20, 60];
/** Carry statements of others. */
const CARRIERS = /^libs\/(database\/src\/[^/]*|http\/src\/page|testing\/src\/database\/.*)\.ts$/;
/** Migrations run while a site is upgraded, and are judged by their own check. */
const PRODUCT = /^(apps|libs)\/(?!testing\/|database\/src\/(migrations|migration-runner|lock-check)\/)/;
const TEST = /\.(spec|int-spec|smoke-spec|endurance-spec|fixture)\.ts$/;

/** @type {Set<string>} */
const recorded = new Set();

/** @type {Map<string | null | undefined, { carries: true } | { place: string | undefined }>} by the file of a frame */
const frames = new Map();

/** Whether the file only carries statements of others, or else its name if it is code of the product. @param {string | null | undefined} path */
function frameOf(path) {
  // A statement that has waited for a connection, in the stack of who gives one back; it was recorded when it was asked for.
  if (path?.includes('/node_modules/pg-pool/')) return { place: undefined };
  if (!path?.startsWith(ROOT) || path.startsWith(__dirname) || path.includes('node_modules'))
    return { carries: /** @type {const} */ (true) };
  const file = relative(ROOT, path);
  if (CARRIERS.test(file)) return { carries: /** @type {const} */ (true) };
  return { place: PRODUCT.test(file) && !TEST.test(file) ? file : undefined };
}

/** The calls that led here. Jest's own form of the stack has other names of functions. @param {number} limit @returns {NodeJS.CallSite[]} */
function callSites(limit) {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = limit;
  Error.prepareStackTrace = (_error, sites) => sites;
  const sites = /** @type {NodeJS.CallSite[]} */ (/** @type {unknown} */ (new Error().stack));
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return sites;
}

/** @returns {string | undefined} file and function that run the statement; undefined if it is a test, no code of ours, or recorded */
function caller() {
  for (const limit of FRAMES) {
    const sites = callSites(limit);
    for (const site of sites) {
      const path = site.getFileName();
      const frame = frames.get(path) ?? frameOf(path);
      frames.set(path, frame);
      if ('carries' in frame) continue;
      return frame.place && [frame.place, site.getFunctionName()].filter(Boolean).join(' ');
    }
    if (sites.length < limit) return undefined;
  }
  return undefined;
}

/** @param {unknown} query @param {unknown} values */
function record(query, values) {
  const { text = query, values: own = values } =
    typeof query === 'object' && query !== null ? /** @type {any} */ (query) : {};
  if (typeof text !== 'string') return;
  const nulls = Array.isArray(own)
    ? own.flatMap((value, index) => (value === null || value === undefined ? [index + 1] : []))
    : [];
  const place = caller();
  if (place === undefined) return;
  const line = JSON.stringify({ place, text, nulls });
  if (recorded.has(line)) return;
  recorded.add(line);
  appendFileSync(join(process.env.TEST_LOG_FOLDER ?? '', 'statements'), `${line}\n`);
}

/** Called once in a worker. */
function recordStatements() {
  if (!process.env.TEST_LOG_FOLDER) return;
  for (const { prototype } of [pg.Client, pg.Pool]) {
    const { query } = prototype;
    /** @param {any[]} args */
    prototype.query = function (...args) {
      record(args[0], args[1]);
      return Reflect.apply(query, this, args);
    };
  }
}

module.exports = { recordStatements };
