import { spawnSync } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createTestDatabase,
  describeWhere,
  findFreePort,
  insertAccount,
  isExecutable,
  publishPrices,
  type TestDatabase,
} from '@inference/testing';
import { type CallResult } from '../load/call-result';
import { rawCall } from '../load/raw-calls';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';
import { PROMETHEUS_FOLDER, PROMTOOL } from './prometheus-process';

/**
 * What clients see of an upstream that fails in each way, beside another one and alone; how often it is called; and when which alert fires.
 * The metrics of two gateways are recorded, and promtool evaluates the rules of docker/prometheus over them. A scrape of the recording stands
 * for one of fifteen seconds: a quarter of an hour takes two minutes, and circuits seem to stay open for so much longer than they do.
 */

const RECORDED_MILLIS = Number(process.env.FAILING_UPSTREAMS_MILLIS ?? 120_000);
const SCRAPE_MILLIS = 2_000;
const SHOWN_SCRAPE_SECONDS = 15;
const PAUSE_MILLIS = 250;
/** Above the ten seconds of the alert. */
const SLOW_MILLIS = 11_000;
const SLOW_CLIENTS = 20;
/** Of the upstream that hangs; all others may take as long as the slow one. */
const HANG_MILLIS = 1_000;
const RETRY_AFTER_SECONDS = 60;
/** Of the circuit of an upstream, whose open time doubles from this on. */
const FIRST_OPEN_MILLIS = 5_000;
/** With two calls that begin between a failure and the next one. */
const FAILURES_TO_OPEN = 5;

const FAULTS = ['hangs', 'fails', 'limits', 'breaks', 'garbage'] as const;
type Fault = (typeof FAULTS)[number];
const alone = (fault: Fault) => `alone-${fault}`;
const ALERTS = ['UpstreamDown', 'UpstreamSlow', 'FallbackInUse', 'UpstreamsFail'] as const;

const USAGE = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
const answer = (response: ServerResponse) =>
  response.end(
    JSON.stringify({
      ...{ id: 'c', object: 'chat.completion', usage: USAGE },
      choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
    }),
  );

const BEHAVIOURS = {
  hangs: () => undefined,
  fails: (response: ServerResponse) => response.writeHead(500).end(),
  limits: (response: ServerResponse) =>
    response.writeHead(429, { 'Retry-After': String(RETRY_AFTER_SECONDS) }).end('{}'),
  breaks: async (response: ServerResponse) => {
    response.setHeader('Content-Type', 'text/event-stream');
    const chunk = {
      ...{ id: 'c', object: 'chat.completion.chunk' },
      choices: [{ index: 0, delta: { content: 'word' }, finish_reason: null }],
    };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    await sleep(PAUSE_MILLIS / 5);
    response.destroy();
  },
  garbage: (response: ServerResponse) => response.end('<html>It works!</html>'),
  spare: answer,
  slow: async (response: ServerResponse) => {
    await sleep(SLOW_MILLIS);
    answer(response);
  },
};

/** A model server that behaves in one way. */
class FaultyModel {
  /** Of clients: probes ask for the list of its models. */
  calls = 0;
  private readonly server: Server;

  constructor(private readonly behaviour: keyof typeof BEHAVIOURS) {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  stop(): void {
    this.server.close().closeAllConnections();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for await (const chunk of request) void chunk;
    response.setHeader('Content-Type', 'application/json');
    if (request.method === 'GET') {
      if (this.behaviour !== 'hangs') response.end('{"data":[]}');
      return;
    }
    this.calls++;
    await BEHAVIOURS[this.behaviour](response);
  }
}

/** The metrics of one gateway at each scrape, by name and labels. */
class Recording {
  private readonly scrapes: Map<string, string>[] = [];

  constructor(private readonly port: number) {}

  async scrape(): Promise<void> {
    const text = await (await fetch(`http://127.0.0.1:${this.port}/metrics`)).text();
    const read =
      /^(gateway_upstream_\w+|gateway_fallback_answers_total|http_request_duration_seconds_count)(\{[^}]*\})? (\S+)/;
    const found = text.split('\n').flatMap((line) => {
      const [, name, labels = '{}', value] = read.exec(line) ?? [];
      return name ? ([[`${name}{job="gateway",instance="g",${labels.slice(1)}`, value!]] as const) : [];
    });
    this.scrapes.push(new Map(found));
  }

  /** After how many seconds, as they seem, each alert fires first, and for what. */
  alerts(): Record<string, number> {
    const names = [...new Set(this.scrapes.flatMap((scrape) => [...scrape.keys()]))];
    const test = {
      interval: `${SHOWN_SCRAPE_SECONDS}s`,
      input_series: names.map((series) => ({
        series,
        values: this.scrapes.map((scrape) => scrape.get(series) ?? '_').join(' '),
      })),
      alert_rule_test: this.scrapes.flatMap((_, index) =>
        ALERTS.map((alertname) => ({
          ...{ alertname, eval_time: `${index * SHOWN_SCRAPE_SECONDS}s`, exp_alerts: [] },
        })),
      ),
    };
    const folder = mkdtempSync(join(process.env.TEST_DATA_FOLDER ?? tmpdir(), 'recording-'));
    const file = join(folder, 'recording.test.yaml');
    const rules = { rule_files: [join(PROMETHEUS_FOLDER, 'rules.yaml')], evaluation_interval: test.interval };
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ ...rules, tests: [test] }));
    // Whatever fires is not expected, so it is named.
    const { stderr } = spawnSync(PROMTOOL, ['test', 'rules', file], { encoding: 'utf8', maxBuffer: 1 << 28 });
    rmSync(folder, { recursive: true });
    const fired: Record<string, number> = {};
    for (const [, alert, time, got] of stderr.matchAll(
      /alertname: (\w+), time: ([\dhms]+),([\s\S]*?)(?=alertname: |$)/g,
    ))
      for (const [, labels = ''] of got!.matchAll(/Labels:\{([^}]*)\}/g)) {
        const what = /(?:upstream|model)="([^"]+)"/.exec(labels)?.[1];
        fired[what ? `${alert} ${what}` : alert!] ??= secondsOf(time!);
      }
    return fired;
  }
}

const secondsOf = (duration: string): number =>
  [...duration.matchAll(/(\d+)([hms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * { h: 3_600, m: 60, s: 1 }[unit as 'h' | 'm' | 's'],
    0,
  );

describeWhere(isExecutable(PROMTOOL), 'promtool is not installed')('upstreams that fail', () => {
  const models = new Map<string, FaultyModel>();
  let database: TestDatabase;
  let site: Site;
  /** What clients saw, by the model that they called. */
  const seen: Record<string, CallResult[]> = {};
  let beside: Record<string, number>;
  let byItself: Record<string, number>;

  beforeAll(async () => {
    database = await createTestDatabase();
    const slugs = [...FAULTS, ...FAULTS.map(alone), 'slow', 'replaced', 'fallback'];
    const price = { unit: 'per_million_output_tokens', ratePicos: 1_000n } as const;
    await publishPrices(
      database.pool,
      slugs.map((slug) => ({ slug, ...price })),
    );
    await database.pool.query(
      "INSERT INTO serving.models (id, slug, fallbacks) VALUES ('mod_replaced', 'replaced', '{fallback}')",
    );
    const { apiKey } = await insertAccount(database.pool, { balancePicos: 10n ** 15n });
    for (const fault of FAULTS)
      models.set(fault, new FaultyModel(fault)).set(alone(fault), new FaultyModel(fault));
    models.set('slow', new FaultyModel('slow')).set('spare', new FaultyModel('spare'));
    const upstreams = [];
    for (const [name, model] of models)
      upstreams.push({
        ...{ name, base_url: await model.start() },
        models: name === 'spare' ? [...FAULTS, 'fallback'] : [name],
      });
    upstreams.push({
      name: 'dead',
      base_url: `http://127.0.0.1:${await findFreePort()}/v1`,
      models: ['replaced'],
    });
    site = new Site(database);
    const ports = [await findFreePort(), await findFreePort()] as const;
    const environment = { UPSTREAMS: JSON.stringify(upstreams) };
    const startGateway = (port: number) =>
      site.startGateway({ url: '' }, { ...environment, METRICS_PORT: String(port) });
    const gateways = [await startGateway(ports[0]), await startGateway(ports[1])] as const;
    await database.pool.query(
      "UPDATE serving.upstreams SET first_byte_timeout_ms = $1 WHERE name LIKE '%hangs'",
      [HANG_MILLIS],
    );
    await database.pool.query("SELECT pg_notify('serving', '')");
    await sleep(SCRAPE_MILLIS);

    const recordings = ports.map((port) => new Recording(port));
    let isRunning = true;
    const client = async (gateway: ServiceProcess, model: string) => {
      const messages = [{ role: 'user', content: 'Hello' }];
      const body = { model, max_tokens: 4, messages, ...(model.endsWith('breaks') && { stream: true }) };
      while (isRunning) {
        (seen[model] ??= []).push(await rawCall({ gatewayUrl: gateway.url, apiKey, body }));
        await sleep(PAUSE_MILLIS);
      }
    };
    for (const recording of recordings) await recording.scrape();
    const clients = [
      ...[...FAULTS, 'replaced'].map((model) => client(gateways[0], model)),
      ...Array.from({ length: SLOW_CLIENTS }, () => client(gateways[0], 'slow')),
      ...FAULTS.map((fault) => client(gateways[1], alone(fault))),
    ];
    for (let millis = 0; millis < RECORDED_MILLIS; millis += SCRAPE_MILLIS) {
      await sleep(SCRAPE_MILLIS);
      for (const recording of recordings) await recording.scrape();
    }
    isRunning = false;
    await Promise.all(clients);
    [beside, byItself] = recordings.map((recording) => recording.alerts()) as [
      typeof beside,
      typeof byItself,
    ];
    if (process.env.FAILING_UPSTREAMS_FIGURES)
      console.info(
        JSON.stringify({
          ...{ beside, byItself },
          calls: Object.fromEntries([...models].map(([name, { calls }]) => [name, calls])),
          seen: Object.fromEntries(Object.keys(seen).map((model) => [model, waysOf(model)])),
        }),
      );
  });

  afterAll(async () => {
    await site?.stop();
    for (const model of models.values()) model.stop();
    await database?.drop();
  });

  const waysOf = (model: string) => {
    const ways: Record<string, number> = {};
    for (const { status, complete, errorCode } of seen[model] ?? []) {
      const way =
        status === 200 ? (complete ? 'whole' : 'broken') : `${status} ${errorCode ?? 'without a code'}`;
      ways[way] = (ways[way] ?? 0) + 1;
    }
    return ways;
  };

  const callsOf = (name: string) => models.get(name)!.calls;
  /** What has fired until then, as time seems. */
  const firedBy = (fired: Record<string, number>, seconds: number) =>
    Object.keys(fired)
      .filter((alert) => fired[alert]! <= seconds)
      .sort();
  const down = (...names: string[]) => names.map((name) => `UpstreamDown ${name}`);

  it('are noticed by no client that another one can answer, but for answers that had begun', () => {
    for (const model of ['hangs', 'fails', 'limits', 'garbage', 'slow', 'replaced'])
      expect([model, Object.keys(waysOf(model))]).toEqual([model, ['whole']]);
    expect(waysOf('breaks')).toEqual({ whole: expect.any(Number) as number, broken: callsOf('breaks') });
  });

  it('get few calls beside another one', () => {
    const trials = Math.ceil(Math.log2(RECORDED_MILLIS / FIRST_OPEN_MILLIS)) + 1;
    for (const fault of ['hangs', 'fails', 'garbage', 'breaks'])
      expect(callsOf(fault)).toBeLessThanOrEqual(FAILURES_TO_OPEN + trials);
    expect(callsOf('limits')).toBeLessThanOrEqual(
      1 + Math.ceil(RECORDED_MILLIS / 1_000 / RETRY_AFTER_SECONDS),
    );
  });

  it('are told to clients as they are without another one', () => {
    const ways = Object.fromEntries(FAULTS.map((fault) => [fault, Object.keys(waysOf(alone(fault))).sort()]));
    expect(ways).toEqual({
      hangs: ['504 upstream_timeout'],
      fails: ['502 upstream_error'],
      // The answer of the upstream, and that of the gateway during the pause.
      limits: ['429 upstream_busy', '429 without a code'],
      breaks: ['broken'],
      garbage: ['502 upstream_error'],
    });
  });

  it('are told to operators within minutes, also where no client notices', () => {
    const silent = down(alone('hangs'));
    expect(firedBy(beside, 7 * 60)).toEqual(
      [...down('breaks', 'dead', 'fails', 'garbage', 'hangs'), ...silent, 'FallbackInUse replaced'].sort(),
    );
    // The probes of this gateway hang, too.
    expect(firedBy(byItself, 7 * 60)).toEqual(
      [
        ...down(alone('breaks'), alone('fails'), alone('garbage'), alone('hangs'), 'dead', 'hangs'),
        'UpstreamsFail',
      ].sort(),
    );
  });

  it('are told as slow after a quarter of an hour, and nothing is told of those that ask for a pause', () => {
    expect(Object.keys(beside).filter((alert) => beside[alert]! > 7 * 60)).toEqual(['UpstreamSlow slow']);
    expect(Object.keys(byItself).filter((alert) => byItself[alert]! > 7 * 60)).toEqual([]);
  });
});
