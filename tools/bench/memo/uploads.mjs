import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../setup/errors.mjs';
import { processTreeTimeMs } from '../measuring/process-usage.mjs';
import { figure, printRows } from '../measuring/report.mjs';
import { LANGUAGES, passages } from './generated-passages.mjs';
import { createKey, startMemo } from './memo-site.mjs';

const DOCUMENTS = 6_000;
/** Uploaded before the measurement, so that processes have loaded and compiled what they need. */
const WARM_UP = 1_000;
const CONNECTIONS = 32;
const POLL_MS = 50;
/** Uploads call no model. */
const NO_GATEWAY = 'http://127.0.0.1:9';
const MIN_PER_SECOND = 400;
const OPEN =
  "SELECT count(*) FILTER (WHERE status = 'failed')::integer AS failed, count(*) FILTER (WHERE status <> 'ready')::integer AS open FROM memo.document_versions WHERE workspace_id = $1";

/**
 * @import { Verdict } from '../measuring/report.mjs'
 * @import { MemoSite } from './memo-site.mjs'
 * @import { Workbench } from '../setup/workbench.mjs'
 * @import { Document } from './collection.mjs'
 *
 * @typedef {{ uploaded: number, indexed: number, serviceMs: number, postgresMs: number, clientMs: number }} Measured documents a second until
 *   the last one is accepted, and until it is found; processor time for each document
 */

/**
 * Measures how many short documents a second are uploaded one by one over several connections, and indexed meanwhile.
 * @param {Workbench} bench
 * @returns {Promise<{ verdicts: Verdict[], faults: string[] }>}
 */
export async function measureUploads(bench) {
  /** @type {Verdict[]} */
  const verdicts = [];
  const rows = [];
  try {
    const site = await startMemo(bench, 'memo_uploads', { GATEWAY_URL: NO_GATEWAY });
    for (const language of LANGUAGES) {
      await uploadAll(bench, site, [...passages(language, WARM_UP, 2)]);
      const measured = await uploadAll(bench, site, [...passages(language, DOCUMENTS)]);
      const { uploaded, indexed, serviceMs, postgresMs, clientMs } = measured;
      rows.push([
        language,
        figure(uploaded, 0),
        figure(indexed, 0),
        ...[serviceMs, postgresMs, clientMs].map((ms) => figure(ms, 2)),
      ]);
      verdicts.push({
        what: `${language}, short documents indexed`,
        value: indexed,
        unit: '/s',
        atLeast: MIN_PER_SECOND,
      });
    }
    await site.memo.stop();
  } catch (error) {
    bench.signal.throwIfAborted();
    return { verdicts, faults: [`uploads: ${messageOf(error)}`] };
  }
  printRows(`Uploads of ${DOCUMENTS} short documents over ${CONNECTIONS} connections`, [
    ['', 'uploaded/s', 'indexed/s', 'memo CPU ms', 'PostgreSQL CPU ms', 'client CPU ms'],
    ...rows,
  ]);
  return { verdicts, faults: [] };
}

/**
 * Uploads documents to a new workspace, and waits until all of them are ready.
 * @param {Workbench} bench
 * @param {MemoSite} site
 * @param {Document[]} documents
 * @returns {Promise<Measured>}
 */
async function uploadAll({ signal, postgresPid }, site, documents) {
  const { memo, pool } = site;
  const workspaceId = await createWorkspace(site);
  const headers = { 'content-type': 'application/json', 'x-api-key': await createKey(site, workspaceId) };
  const bodies = documents.map(({ id, text }) =>
    JSON.stringify({ title: `Passage ${id}`, text, external_id: id }),
  );
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const url = `${memo.url}/v1/workspaces/${workspaceId}/documents`;
  const before = {
    service: processTreeTimeMs(memo.pid),
    postgres: processTreeTimeMs(postgresPid),
    client: process.cpuUsage(),
  };
  const startedAt = performance.now();
  const rest = bodies.values();
  const upload = async () => {
    for (const body of rest) {
      signal.throwIfAborted();
      await post(agent, url, headers, body);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, upload));
  const uploadedAt = performance.now();
  for (;;) {
    const { failed, open } = (await pool.query(OPEN, [workspaceId])).rows[0];
    if (failed > 0) throw new Error(`${failed} documents failed`);
    if (open === 0) break;
    await sleep(POLL_MS, undefined, { signal });
  }
  const indexedAt = performance.now();
  agent.destroy();
  const client = process.cpuUsage(before.client);
  const each = documents.length;
  return {
    uploaded: (each / (uploadedAt - startedAt)) * 1000,
    indexed: (each / (indexedAt - startedAt)) * 1000,
    serviceMs: (processTreeTimeMs(memo.pid) - before.service) / each,
    postgresMs: (processTreeTimeMs(postgresPid) - before.postgres) / each,
    clientMs: (client.user + client.system) / 1000 / each,
  };
}

/** @param {MemoSite} site @returns {Promise<string>} */
async function createWorkspace({ memo, token }) {
  const response = await fetch(`${memo.url}/v1/workspaces`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Uploads' }),
  });
  const { id } = /** @type {{ id: string }} */ (await response.json());
  return id;
}

/**
 * @param {http.Agent} agent
 * @param {string} url
 * @param {http.OutgoingHttpHeaders} headers
 * @param {string} body
 * @returns {Promise<void>} rejects unless the document is created
 */
function post(agent, url, headers, body) {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': Buffer.byteLength(body) };
    const request = http.request(
      url,
      { method: 'POST', agent, headers: { ...headers, ...length } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece) => (text += piece));
        response.on('error', reject).on('end', () => {
          if (response.statusCode === 201) resolve();
          else reject(new Error(`${response.statusCode} ${text.slice(0, 300)}`));
        });
      },
    );
    request.on('error', reject).end(body);
  });
}
