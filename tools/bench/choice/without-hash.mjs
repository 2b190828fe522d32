import { createRequire } from 'node:module';
import path from 'node:path';
import { root } from '../setup/workbench.mjs';

/** Loaded into a gateway before it starts: it hashes no prompts, and takes the first upstream or one after the other. */

const require = createRequire(import.meta.url);

/** What is imported of a module later. @param {string} name @param {object} exports */
function replace(name, exports) {
  const file = require.resolve(path.join(root, 'dist/apps/gateway/src/upstreams/choice', name));
  const former = require(file);
  const loaded = /** @type {NodeJS.Module} */ (require.cache[file]);
  loaded.exports = { ...former, ...exports };
}

const takesTurns = process.env.CHOICE_WITHOUT_HASH === 'turns';
let turn = 0;

replace('prefix-hash', { prefixHash: () => 0 });
replace('chooser', {
  /** @param {readonly object[]} candidates */
  choose: (candidates) =>
    candidates[takesTurns ? turn++ % candidates.length : 0] ?? { reason: 'none', retryMillis: 1_000 },
});
