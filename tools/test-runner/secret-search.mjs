import fs from 'node:fs';
import path from 'node:path';

/**
 * Searches logs for secrets. The file `secrets` of the folder has one secret per line, as JSON; all other files are logs.
 *
 * @typedef {object} Finding
 * @property {string} file
 * @property {number} line counted from 1
 * @property {string} masked the first characters of the secret
 *
 * @typedef {{ secrets: number, bytes: number, findings: Finding[] }} Search
 * @typedef {{ filter: Uint8Array, forms: Map<number, { bytes: Buffer, secret: string }[]> }} Index the forms by the hash of
 *   their last bytes; `filter` has 1 at the first bits of each of these hashes
 */

const SECRETS_FILE = 'secrets';
/** Bytes of a secret that are hashed, from its end, because tokens have common prefixes. Shorter secrets are ignored. */
const WINDOW = 12;
/** Base of a rolling polynomial hash (Rabin-Karp), which searches for all secrets in one pass over the text. */
const BASE = 0x01000193;
const OUTGOING = Array.from({ length: WINDOW }, () => BASE).reduce(
  (power, base) => Math.imul(power, base),
  1,
);
const FILTER_BITS = 20;
const SHOWN_CHARS = 4;
const SHOWN_FINDINGS = 20;
const LINE_FEED = 10;

/** The secret itself, in JSON and in a URL. @param {string} secret */
const formsOf = (secret) =>
  new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())]);

/** @param {Buffer} bytes */
function hashOf(bytes) {
  return bytes.reduce((hash, byte) => (Math.imul(hash, BASE) + byte) | 0, 0);
}

/** @param {string[]} secrets @returns {Index} */
function indexByTail(secrets) {
  const filter = new Uint8Array(2 ** FILTER_BITS);
  const forms = new Map();
  for (const secret of secrets) {
    for (const form of formsOf(secret)) {
      const bytes = Buffer.from(form);
      const hash = hashOf(bytes.subarray(-WINDOW));
      filter[hash >>> (32 - FILTER_BITS)] = 1;
      forms.set(hash, [...(forms.get(hash) ?? []), { bytes, secret }]);
    }
  }
  return { filter, forms };
}

/** @param {Buffer} text @param {Index} index @param {(secret: string, offset: number) => void} report */
function searchText(text, { filter, forms }, report) {
  let hash = 0;
  for (let end = 0; end < text.length; end += 1) {
    hash = (Math.imul(hash, BASE) + (text[end] ?? 0)) | 0;
    if (end >= WINDOW) hash = (hash - Math.imul(text[end - WINDOW] ?? 0, OUTGOING)) | 0;
    if (filter[hash >>> (32 - FILTER_BITS)] === 0) continue;
    for (const { bytes, secret } of forms.get(hash) ?? []) {
      const start = end + 1 - bytes.length;
      if (start >= 0 && text.compare(bytes, 0, bytes.length, start, end + 1) === 0) report(secret, start);
    }
  }
}

/** @param {Buffer} text @param {number} offset @returns {number} counted from 1 */
function lineAt(text, offset) {
  return text.subarray(0, offset).reduce((line, byte) => (byte === LINE_FEED ? line + 1 : line), 1);
}

/** @param {string} secret */
const mask = (secret) => `${secret.slice(0, SHOWN_CHARS)}… (${secret.length} characters)`;

/** @param {string} file @returns {string[]} */
function readSecrets(file) {
  if (!fs.existsSync(file)) return [];
  const lines = fs.readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const secrets = new Set(lines.map((line) => JSON.parse(line)));
  return [...secrets].filter((secret) => Buffer.byteLength(secret) >= WINDOW);
}

/** @param {string} folder @returns {Search} the first occurrence of each secret in each log */
export function searchLogs(folder) {
  const secrets = readSecrets(path.join(folder, SECRETS_FILE));
  const index = indexByTail(secrets);
  /** @type {Finding[]} */
  const findings = [];
  let bytes = 0;
  for (const file of fs.readdirSync(folder).sort()) {
    if (file === SECRETS_FILE) continue;
    const text = fs.readFileSync(path.join(folder, file));
    const found = new Set();
    searchText(text, index, (secret, offset) => {
      if (found.has(secret)) return;
      found.add(secret);
      findings.push({ file, line: lineAt(text, offset), masked: mask(secret) });
    });
    bytes += text.length;
  }
  return { secrets: secrets.length, bytes, findings };
}

/** @param {Search} search @returns {string} a message for the terminal */
export function describeSearch({ secrets, bytes, findings }) {
  const megabytes = (bytes / 1e6).toLocaleString('en', { maximumFractionDigits: bytes < 1e7 ? 1 : 0 });
  const extent = `${secrets.toLocaleString('en')} secrets, ${megabytes} MB of logs searched`;
  if (findings.length === 0) return `No secret in the logs: ${extent}`;
  const places = findings.map(({ file, line, masked }) => `  - ${file}, line ${line}: ${masked}`);
  if (places.length > SHOWN_FINDINGS) {
    places.push(`  … and ${places.splice(SHOWN_FINDINGS).length} more`);
  }
  return [`SECRETS IN THE LOGS (${extent}; TEST_LOG_KEEP=<folder> keeps them):`, ...places].join('\n');
}
