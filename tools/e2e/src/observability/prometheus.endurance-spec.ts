import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createTestDatabase,
  describeWhere,
  findFreePort,
  insertAccount,
  isExecutable,
  publishPrices,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { rawCall } from '../load/raw-calls';
import { Site } from '../site/site';
import {
  PROMETHEUS,
  PROMETHEUS_FOLDER,
  PROMTOOL,
  PrometheusProcess,
  readAlerts,
  readDashboardQueries,
  readPrometheusConfig,
  readRules,
  readRunbookQueries,
  type Series,
} from './prometheus-process';
import { groupingLabelsOf, selectorsOf } from './promql';

const MODEL = 'sandbox-chat';
/** Its server closes every connection, so its fallback answers. */
const FAILING_MODEL = 'sandbox-chat+fail-before';
/** Its server has too little money of the operator, so its fallback answers. */
const UNPAID_MODEL = 'sandbox-chat+status-402';
/** Its server breaks off each stream. */
const BREAKING_MODEL = 'sandbox-chat+fail-mid';

describeWhere(isExecutable(PROMTOOL), 'promtool is not installed')('promtool', () => {
  const run = (...args: string[]) =>
    execFileSync(PROMTOOL, args, { cwd: PROMETHEUS_FOLDER, encoding: 'utf8' });

  it('accepts the configuration and the rules', () => {
    expect(run('check', 'config', 'prometheus.yaml')).toContain('SUCCESS');
    expect(run('check', 'rules', 'rules.yaml')).toContain('SUCCESS');
  });

  it('finds that the rules fire, and are quiet, when they should', () => {
    expect(run('test', 'rules', 'rules.test.yaml')).toContain('SUCCESS');
  });
});

describeWhere(isExecutable(PROMETHEUS), 'prometheus is not installed')('a site and its Prometheus', () => {
  const rules = readRules();
  const recorded = new Set(rules.flatMap(({ record }) => record ?? []));
  const queries = [
    ...readDashboardQueries(),
    ...readAlerts().flatMap(({ alert }) => readRunbookQueries(alert, 'promql')),
  ];
  const expressions = [...rules.map(({ expr }) => expr), ...queries];
  let database: TestDatabase;
  let site: Site;
  let prometheus: PrometheusProcess;
  let exportFolder: string | undefined;
  /** All series after each rule was evaluated. */
  let series: Series[];

  beforeAll(async () => {
    database = await createTestDatabase();
    const price = { unit: 'per_million_output_tokens', ratePicos: 1_000n } as const;
    await publishPrices(
      database.pool,
      [MODEL, FAILING_MODEL, UNPAID_MODEL, BREAKING_MODEL].map((slug) => ({ slug, ...price })),
    );
    await database.pool.query(
      `INSERT INTO serving.models (id, slug, fallbacks)
       VALUES ('mod_failing', $1, ARRAY[$3]), ('mod_unpaid', $2, ARRAY[$3])`,
      [FAILING_MODEL, UNPAID_MODEL, MODEL],
    );
    const { apiKey } = await insertAccount(database.pool, { balancePicos: 10n ** 15n });
    site = new Site(database);
    const ports = new Map<string, number>();
    for (const { job_name: job } of readPrometheusConfig().scrape_configs)
      ports.set(job, await findFreePort());
    const metrics = (job: string) => ({ METRICS_PORT: String(ports.get(job)) });
    const engine = await site.startEngine();
    const gateway = await site.startGateway(engine, metrics('gateway'));
    // One after the other: all at once would each take longer than a start may take.
    // Only a site with a mail server runs the job that sends mails. There is none to send.
    const mail = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'site@example.com' };
    // And only one with a place for exports says how late they are.
    exportFolder = mkdtempSync(join(process.env.TEST_DATA_FOLDER ?? tmpdir(), 'exports-'));
    const environment = { ...mail, EXPORT_STORAGE_FOLDER: exportFolder, GATEWAY_URL: gateway.url };
    await site.startConsole({ ...metrics('console'), ...environment });
    await site.startAgent(gateway, metrics('agent'));
    await site.startMemo(gateway, metrics('memo'));
    for (const app of ['training', 'router-cost', 'agent-environments'] as const)
      await site.startPlain(app, metrics(app));
    for (const model of [MODEL, FAILING_MODEL, UNPAID_MODEL, BREAKING_MODEL]) {
      const isBroken = model === BREAKING_MODEL;
      const body = { model, stream: isBroken, max_tokens: 4, messages: [{ role: 'user', content: 'Hello' }] };
      const result = await rawCall({ gatewayUrl: gateway.url, apiKey, body });
      expect(result).toMatchObject({ status: 200, complete: !isBroken });
    }
    prometheus = await PrometheusProcess.start(ports);
    await waitFor(async () => (await prometheus.rules()).every(({ health }) => health !== 'unknown'));
    // A rule that is evaluated before the first scrape finds no target.
    await waitFor(async () =>
      (await prometheus.rules()).every(({ state = 'inactive' }) => state !== 'pending'),
    );
    // The last ones to appear: of rules that read a rate, of the first job and of the first garbage collection.
    series = await waitFor(async () => {
      const found = await prometheus.series();
      const names = new Set(found.map(({ __name__: name }) => name));
      return (
        [...recorded, 'job_runs_total', 'nodejs_gc_duration_seconds_sum'].every((name) => names.has(name)) &&
        found
      );
    });
  });

  afterAll(async () => {
    await prometheus?.stop();
    await site?.stop();
    await database?.drop();
    if (exportFolder) rmSync(exportFolder, { recursive: true });
  });

  const seriesOf = (metric: string) => series.filter(({ __name__: name }) => name === metric);

  it('has all targets up', async () => {
    const targets = await prometheus.targets();
    expect(targets.map(({ labels }) => labels.job).sort()).toEqual(
      readPrometheusConfig()
        .scrape_configs.map(({ job_name: job }) => job)
        .sort(),
    );
    expect(targets.filter(({ health }) => health !== 'up')).toEqual([]);
  });

  it('evaluates every rule without an error, and no alert fires', async () => {
    const evaluated = await prometheus.rules();
    expect(evaluated).toHaveLength(rules.length);
    expect(evaluated.filter(({ health }) => health !== 'ok')).toEqual([]);
    expect(evaluated.filter(({ state = 'inactive' }) => state !== 'inactive')).toEqual([]);
  });

  it('can run every query of the dashboard and of the runbooks', async () => {
    for (const query of queries) await prometheus.query(query);
  });

  it('has every metric that a rule, the dashboard or a runbook reads, with the labels that select it', () => {
    const selectors = expressions.flatMap(selectorsOf);
    expect(selectors.length).toBeGreaterThan(expressions.length);
    const missing = selectors.filter(
      ({ metric, labels }) => !seriesOf(metric).some((one) => labels.every((label) => label in one)),
    );
    expect(missing).toEqual([]);
  });

  it('has a series with the values by which a rule, the dashboard or a runbook selects it', () => {
    const missing = expressions.flatMap(selectorsOf).filter(({ metric, values }) => {
      // Whether a status has occurred depends on the requests of this test.
      const wanted = Object.entries(values).filter(([label]) => label !== 'status');
      return !seriesOf(metric).some((one) => wanted.every(([label, value]) => one[label] === value));
    });
    expect(missing).toEqual([]);
  });

  it('has every label by which a rule, the dashboard or a runbook groups', () => {
    const missing = expressions.flatMap((expression) => {
      const found = selectorsOf(expression).flatMap(({ metric }) => seriesOf(metric));
      const labels = new Set(found.flatMap((one) => Object.keys(one)));
      return groupingLabelsOf(expression)
        .filter((label) => !labels.has(label))
        .map((label) => `${label} in ${expression}`);
    });
    expect(missing).toEqual([]);
  });
});
