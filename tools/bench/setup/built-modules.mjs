import { createRequire } from 'node:module';
import path from 'node:path';
import { root } from './workbench.mjs';

/**
 * The modules of the product that benchmarks call directly, by their path under `dist`.
 *
 * @typedef {{
 *   'libs/database/src': typeof import('../../../libs/database/src/index.ts'),
 *   'libs/metering/src': typeof import('../../../libs/metering/src/index.ts'),
 *   'libs/money/src': typeof import('../../../libs/money/src/index.ts'),
 *   'libs/storage/src': typeof import('../../../libs/storage/src/index.ts'),
 *   'libs/testing/src': typeof import('../../../libs/testing/src/index.ts'),
 *   'apps/console/src/billing/dashboard/dashboard.repository': typeof import('../../../apps/console/src/billing/dashboard/dashboard.repository.ts'),
 *   'apps/console/src/billing/dashboard/dashboard.service': typeof import('../../../apps/console/src/billing/dashboard/dashboard.service.ts'),
 *   'apps/console/src/identity/passwords/password-hasher': typeof import('../../../apps/console/src/identity/passwords/password-hasher.ts'),
 *   'apps/gateway/src/leases/lease': typeof import('../../../apps/gateway/src/leases/lease.ts'),
 *   'apps/gateway/src/settlement/usage-event': typeof import('../../../apps/gateway/src/settlement/usage-event.ts'),
 *   'apps/gateway/src/unserved-calls/unserved-calls.service': typeof import('../../../apps/gateway/src/unserved-calls/unserved-calls.service.ts'),
 *   'apps/gateway/src/upstreams/choice/chooser': typeof import('../../../apps/gateway/src/upstreams/choice/chooser.ts'),
 *   'apps/gateway/src/upstreams/choice/circuit': typeof import('../../../apps/gateway/src/upstreams/choice/circuit.ts'),
 *   'apps/gateway/src/upstreams/choice/prefix-hash': typeof import('../../../apps/gateway/src/upstreams/choice/prefix-hash.ts'),
 *   'apps/router-cost/src/cost/cost.repository': typeof import('../../../apps/router-cost/src/cost/cost.repository.ts'),
 *   'apps/memo/src/retrieval/analysis/passage-analyzer': typeof import('../../../apps/memo/src/retrieval/analysis/passage-analyzer.ts'),
 *   'apps/memo/src/retrieval/analysis/terms': typeof import('../../../apps/memo/src/retrieval/analysis/terms.ts'),
 *   'apps/memo/src/retrieval/index/segment-merge': typeof import('../../../apps/memo/src/retrieval/index/segment-merge.ts'),
 *   'apps/memo/src/retrieval/index/segment-builder': typeof import('../../../apps/memo/src/retrieval/index/segment-builder.ts'),
 *   'apps/memo/src/retrieval/index/storage/postings.repository': typeof import('../../../apps/memo/src/retrieval/index/storage/postings.repository.ts'),
 *   'apps/memo/src/retrieval/index/storage/segments.repository': typeof import('../../../apps/memo/src/retrieval/index/storage/segments.repository.ts'),
 *   'apps/memo/src/ingestion/extraction-thread/chunker': typeof import('../../../apps/memo/src/ingestion/extraction-thread/chunker.ts'),
 *   'apps/memo/src/retrieval/search/search.service': typeof import('../../../apps/memo/src/retrieval/search/search.service.ts'),
 * }} BuiltModules
 */

const require = createRequire(import.meta.url);

/**
 * Requires an open workbench, which builds the product.
 * @template {keyof BuiltModules} Name
 * @param {Name} name
 * @param {string} folder of the product, or of another built checkout of it
 * @returns {BuiltModules[Name]}
 */
export const loadBuilt = (name, folder = root) => require(path.join(folder, 'dist', name));
