import { findFreePort, waitFor } from '@inference/testing';
import { type ServiceProcess } from '../../site/service-process';
import { OtlpReceiver } from './otlp-receiver';
import { MODEL, newTrace, requestLines, TracedSite } from './traced-site.fixture';

const CHAT = '/v1/chat/completions';
/** Fills the queue of a process: more spans than may wait, two for each request. */
const REQUESTS = 1_200;
const CONCURRENCY = 16;
const WARNING = 'spans could not be sent';

/** Runs in a service and writes down which packages of OpenTelemetry its code loads, and from where. */
const REPORT_LOADS = `
  import { Module } from 'node:module';
  const load = Module._load;
  Module._load = function (name, parent, ...rest) {
    if (/opentelemetry/.test(name)) console.error('LOADS ' + name + ' FROM ' + parent?.filename);
    return load.call(this, name, parent, ...rest);
  };`;
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(REPORT_LOADS)}`;

let traced: TracedSite;
let apiKey: string;

beforeAll(async () => {
  traced = await TracedSite.start();
  ({ apiKey } = await traced.signIn());
});

afterAll(() => traced?.stop());

const chat = (gateway: ServiceProcess, headers: Record<string, string> = {}) =>
  fetch(gateway.url + CHAT, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ model: MODEL, max_tokens: 2, messages: [{ role: 'user', content: 'Hello' }] }),
  });

/** Sends requests side by side and returns the statuses that occurred. */
async function sendMany(gateway: ServiceProcess, count: number): Promise<number[]> {
  const statuses = new Set<number>();
  let left = count;
  const sender = async () => {
    while (left-- > 0) {
      const response = await chat(gateway);
      statuses.add(response.status);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sender));
  return [...statuses];
}

const warningsOf = ({ output }: ServiceProcess) =>
  output.split('\n').filter((line) => line.includes(WARNING));

/** What a service has loaded of OpenTelemetry, except by the library of the metrics. */
const loadsOf = ({ output }: ServiceProcess) =>
  output.split('\n').filter((line) => line.startsWith('LOADS') && !line.includes('/prom-client/'));

test('without a receiver no package is loaded, nothing is sent, and logs name the trace of the caller', async () => {
  const gateway = await traced.startGateway({ NODE_OPTIONS });
  const { traceId, traceparent } = newTrace();
  expect((await chat(gateway, { traceparent })).status).toBe(200);
  expect((await chat(gateway, { traceparent: 'malformed' })).status).toBe(200);
  const lines = await waitFor(() => {
    const found = requestLines(gateway, CHAT);
    return found.length === 2 && found;
  });
  expect(lines.map(({ trace_id: id, span_id: spanId }) => [id, spanId])).toEqual([
    [traceId, undefined],
    [undefined, undefined],
  ]);
  expect(traced.upstream.traceparents).toEqual([undefined, undefined]);
  expect(loadsOf(gateway)).toEqual([]);
  const tracing = await traced.startGateway({ ...traced.environment, NODE_OPTIONS });
  expect(loadsOf(tracing)).toContainEqual(expect.stringContaining('@opentelemetry/exporter-trace-otlp-http'));
});

test('a receiver that cannot be reached costs no request, and a warning a minute', async () => {
  const startedAt = Date.now();
  const endpoint = `http://127.0.0.1:${await findFreePort()}`;
  const gateway = await traced.startGateway({
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    // The lines of so many requests would push the warning out of the output that is kept.
    LOG_LEVEL: 'warn',
  });
  expect(await sendMany(gateway, REQUESTS)).toEqual([200]);
  await waitFor(() => warningsOf(gateway).length > 0);
  expect(await sendMany(gateway, CONCURRENCY)).toEqual([200]);
  expect(await gateway.stop()).toBe(true);
  const minutes = Math.floor((Date.now() - startedAt) / 60_000);
  expect(warningsOf(gateway).length).toBeLessThanOrEqual(1 + minutes);
  expect(warningsOf(gateway)[0]).toContain('ECONNREFUSED');
});

test('a receiver that never answers costs no request, and does not hold up the end', async () => {
  const receiver = await OtlpReceiver.start(false);
  const gateway = await traced.startGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
  expect(await sendMany(gateway, REQUESTS)).toEqual([200]);
  await waitFor(() => receiver.unanswered > 0);
  expect(await sendMany(gateway, CONCURRENCY)).toEqual([200]);
  expect(await gateway.stop()).toBe(true);
  await receiver.stop();
});

test('a receiver that refuses the credential is named, and the credential is not', async () => {
  const gateway = await traced.startGateway({
    ...traced.environment,
    // Answers 404.
    OTEL_EXPORTER_OTLP_ENDPOINT: `${traced.receiver.url}/elsewhere`,
  });
  expect((await chat(gateway)).status).toBe(200);
  const [warning] = await waitFor(() => {
    const found = warningsOf(gateway);
    return found.length > 0 && found;
  });
  expect(JSON.parse(warning!)).toMatchObject({
    level: 40,
    msg: expect.stringMatching(
      /^[12] spans could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT: 404 Not Found$/,
    ) as string,
  });
  expect(gateway.output).not.toContain(traced.credential);
});
