import http from 'node:http';
import { figure, median, percentile, printLedger, printRows, printVerdicts } from '../measuring/report.mjs';
import { checkLedger } from '../measuring/ledger-check.mjs';
import { loadBuilt } from '../setup/built-modules.mjs';
import { BALANCE_PICOS, createDatabase } from '../setup/database.mjs';
import { startEngine, startGateway } from './contenders.mjs';

/**
 * What it takes to translate Responses and Messages into chat completions and back: the same question to the same upstream over one
 * connection, one protocol after another, so that other work of the machine affects all of them alike.
 *
 * @typedef {{ firstMs: number, wholeMs: number }} Timing until the first bytes and the last bytes of a body
 * @typedef {{ name: string, path: string, body: object, end: string }} Protocol `end`: what a whole stream ends with
 */

const MAX_TOKENS = 16;
const QUESTION = 'hello there, how are you today';
const MESSAGES = [{ role: 'user', content: QUESTION }];

/** @type {[chat: Protocol, ...translated: Protocol[]]} */
const PROTOCOLS = [
  {
    name: 'chat completions',
    path: '/v1/chat/completions',
    body: { max_tokens: MAX_TOKENS, messages: MESSAGES },
    end: 'data: [DONE]\n\n',
  },
  {
    name: 'Responses',
    path: '/v1/responses',
    body: { max_output_tokens: MAX_TOKENS, input: QUESTION },
    end: '"type":"response.incomplete"',
  },
  {
    name: 'Messages',
    path: '/v1/messages',
    body: { max_tokens: MAX_TOKENS, messages: MESSAGES },
    end: '"type":"message_stop"',
  },
];

/** Targets of the added time. Specified. */
const MOST_ADDED_PLAIN_MS = 0.3;
const MOST_ADDED_FIRST_MS = 0.5;

/**
 * @param {string} url @param {Record<string, string>} headers @param {http.Agent} agent @param {string} body @param {AbortSignal} signal
 * @returns {Promise<Timing & { status: number, text: string }>}
 */
function ask(url, headers, agent, body, signal) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const request = http.request(url, { method: 'POST', agent, headers, signal }, (response) => {
      let firstMs = NaN;
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => {
        if (text === '') firstMs = performance.now() - startedAt;
        text += piece;
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, firstMs, wholeMs: performance.now() - startedAt }),
      );
    });
    request.on('error', reject).end(body);
  });
}

/** @param {Protocol} protocol @param {boolean} isStream @param {{ status: number, text: string }} answer */
function isWhole({ end }, isStream, { status, text }) {
  if (status !== 200) return false;
  if (isStream) return text.includes(end);
  try {
    const { usage } = JSON.parse(text);
    return (usage.completion_tokens ?? usage.output_tokens) === MAX_TOKENS;
  } catch {
    return false;
  }
}

/** @param {Timing[]} timings @param {keyof Timing} field */
const p50 = (timings, field) =>
  percentile(
    timings.map((timing) => timing[field]).sort((a, b) => a - b),
    0.5,
  );

/** @type {import('../setup/workbench.mjs').Benchmark} */
export async function benchTranslation(bench, { rounds, seconds }) {
  const database = await createDatabase(bench, 'translation_bench');
  const account = await loadBuilt('libs/testing/src').insertAccount(database.pool, {
    balancePicos: BALANCE_PICOS,
  });
  const engine = await startEngine(bench);
  const gateway = await startGateway(bench, engine, database, account);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  await fetch(`${engine.url}/_sandbox/reset`, { method: 'POST' });

  console.log(
    `\nTranslation: ${rounds - 1} rounds of about ${seconds} s, after one to warm up, over one connection.`,
  );
  /** @type {string[]} */
  const faults = [];
  /** @type {import('../measuring/report.mjs').Verdict[]} */
  const verdicts = [];
  for (const isStream of [false, true]) {
    const bodies = PROTOCOLS.map(({ body }) =>
      JSON.stringify({ model: 'sandbox-chat', ...body, ...(isStream && { stream: true }) }),
    );
    /** @type {Timing[][][]} by round and protocol */
    const measured = [];
    for (let round = 0; round < rounds && faults.length === 0; round += 1) {
      /** @type {Timing[][]} */
      const timings = PROTOCOLS.map(() => []);
      const until = performance.now() + seconds * 1000;
      while (performance.now() < until && faults.length === 0) {
        for (const [index, protocol] of PROTOCOLS.entries()) {
          const headers = { 'content-type': 'application/json', ...gateway.headers };
          const answer = await ask(
            gateway.url + protocol.path,
            headers,
            agent,
            bodies[index] ?? '',
            bench.signal,
          );
          if (!isWhole(protocol, isStream, answer))
            faults.push(`${protocol.name}: status ${answer.status}, ${answer.text.slice(-300)}`);
          timings[index]?.push(answer);
        }
      }
      if (round > 0) measured.push(timings);
    }
    /** @type {keyof Timing} */
    const field = isStream ? 'firstMs' : 'wholeMs';
    /** @param {number} protocol @param {keyof Timing} each */
    const typical = (protocol, each) => median(measured.map((timings) => p50(timings[protocol] ?? [], each)));
    /** @param {number} protocol */
    const added = (protocol) =>
      median(measured.map((timings) => p50(timings[protocol] ?? [], field) - p50(timings[0] ?? [], field)));
    printRows(isStream ? 'SSE' : 'JSON', [
      ['', 'calls', 'first bytes, p50 ms', 'whole, p50 ms'],
      ...PROTOCOLS.map(({ name }, index) => [
        name,
        String(measured.reduce((sum, timings) => sum + (timings[index]?.length ?? 0), 0)),
        figure(typical(index, 'firstMs'), 2),
        figure(typical(index, 'wholeMs'), 2),
      ]),
    ]);
    for (const [index, { name }] of PROTOCOLS.entries()) {
      if (index === 0) continue;
      verdicts.push({
        what: `${name}, ${isStream ? 'first bytes of a stream' : 'whole answer'}, added to chat completions`,
        ...{ value: added(index), unit: ' ms', atMost: isStream ? MOST_ADDED_FIRST_MS : MOST_ADDED_PLAIN_MS },
      });
    }
  }
  if (faults.length === 0) printVerdicts(verdicts);

  agent.destroy();
  const response = await fetch(`${engine.url}/_sandbox/served`);
  const counts =
    /** @type {{ requests: number, prompt_tokens: number, completion_tokens: number }} */
    (await response.json());
  const served = {
    requests: BigInt(counts.requests),
    inputTokens: BigInt(counts.prompt_tokens),
    outputTokens: BigInt(counts.completion_tokens),
  };
  await gateway.stop();
  await engine.stop();
  const ledger = await checkLedger(database.pool, served);
  printLedger(ledger.lines);
  return [...faults, ...ledger.faults];
}
