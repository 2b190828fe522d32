import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, testLog, waitFor } from '@inference/testing';
import { ROOT } from '../site/service-process';

/** The YAML parser that Nx depends on. */
const { parse } = createRequire(require.resolve('nx/package.json'))('yaml') as {
  parse(text: string): unknown;
};

export const RUNBOOKS = 'docs/operations/runbooks';
export const PROMETHEUS_FOLDER = join(ROOT, 'docker/prometheus');

export interface Rule {
  /** Of an alert. */
  alert?: string;
  /** Of a recording rule: the name of the metric that it makes. */
  record?: string;
  expr: string;
  labels?: { severity?: string };
  annotations?: { summary?: string; description?: string; runbook_url?: string };
}

type Alert = Rule & { alert: string };

interface ScrapeConfig {
  job_name: string;
  dns_sd_configs: { names: string[]; type: string; port: number }[];
}

interface PrometheusConfig {
  rule_files: string[];
  scrape_configs: ScrapeConfig[];
}

interface AlertTest {
  alertname: string;
  exp_alerts: unknown[];
}

interface Dashboard {
  templating: { list: { name: string; type: string }[] };
  panels: { title: string; type: string; targets?: { expr: string }[] }[];
}

const readYaml = <T>(file: string): T => parse(readFileSync(join(PROMETHEUS_FOLDER, file), 'utf8')) as T;

export function readRules(): Rule[] {
  return readYaml<{ groups: { rules: Rule[] }[] }>('rules.yaml').groups.flatMap(({ rules }) => rules);
}

export const readAlerts = (): Alert[] =>
  readRules().filter((rule): rule is Alert => rule.alert !== undefined);

export function readAlertTests(): AlertTest[] {
  const { tests } = readYaml<{ tests: { alert_rule_test: AlertTest[] }[] }>('rules.test.yaml');
  return tests.flatMap(({ alert_rule_test: alertTests }) => alertTests);
}

export const readPrometheusConfig = (): PrometheusConfig => readYaml('prometheus.yaml');

export const readDashboard = (): Dashboard =>
  JSON.parse(readFileSync(join(ROOT, 'docker/grafana/dashboard.json'), 'utf8')) as Dashboard;

/** The path of the page of an alert: docs/operations/runbooks/some-alert.md for SomeAlert. */
export const runbookOf = (alert: string) =>
  `${RUNBOOKS}/${alert.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}.md`;

export const readPage = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The queries of one language on the page of an alert. */
export const readRunbookQueries = (alert: string, language: 'promql' | 'sql'): string[] =>
  [...readPage(runbookOf(alert)).matchAll(new RegExp(`\`\`\`${language}\n([^\`]*)\`\`\``, 'g'))].map(
    ([, query = '']) => query,
  );

/** The queries of all panels, with values in place of Grafana's variables. */
export function readDashboardQueries(): string[] {
  return readDashboard()
    .panels.flatMap(({ targets = [] }) => targets)
    .map(({ expr }) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$service', '.+'));
}

export const PROMETHEUS = '/usr/bin/prometheus';
export const PROMTOOL = '/usr/bin/promtool';

export type Series = Record<string, string>;

interface Target {
  labels: { job: string };
  health: string;
  lastError: string;
}

interface EvaluatedRule {
  name: string;
  health: string;
  lastError?: string;
  /** Of an alert. */
  state?: string;
}

/** A Prometheus server with the rules and the jobs of docker/prometheus, whose targets are those of a test. */
export class PrometheusProcess {
  private constructor(
    private readonly folder: string,
    private readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  /** @param metricsPorts by the name of the job, on loopback */
  static async start(metricsPorts: Map<string, number>): Promise<PrometheusProcess> {
    const folder = mkdtempSync(join(process.env.TEST_DATA_FOLDER ?? tmpdir(), 'prometheus-'));
    const { rule_files: files, scrape_configs: jobs } = readPrometheusConfig();
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: files.map((file) => join(PROMETHEUS_FOLDER, file)),
      scrape_configs: jobs.map(({ job_name: job }) => ({
        job_name: job,
        static_configs: [{ targets: [`127.0.0.1:${metricsPorts.get(job)}`] }],
      })),
    };
    // JSON is YAML.
    writeFileSync(join(folder, 'prometheus.yaml'), JSON.stringify(config));
    const address = `127.0.0.1:${await findFreePort()}`;
    const child = spawn(
      PROMETHEUS,
      [
        `--config.file=${join(folder, 'prometheus.yaml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=${address}`,
        '--log.level=warn',
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const log = testLog('prometheus');
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => log.write(chunk));
    const prometheus = new PrometheusProcess(folder, `http://${address}`, child);
    await waitFor(async () => (await fetch(`http://${address}/-/ready`)).ok);
    return prometheus;
  }

  async targets(): Promise<Target[]> {
    return (await this.get<{ activeTargets: Target[] }>('targets')).activeTargets;
  }

  async rules(): Promise<EvaluatedRule[]> {
    const { groups } = await this.get<{ groups: { rules: EvaluatedRule[] }[] }>('rules');
    return groups.flatMap(({ rules }) => rules);
  }

  /** All series that the targets serve. */
  series(): Promise<Series[]> {
    return this.get('series', { 'match[]': '{job!=""}' });
  }

  /** Rejects if the expression is not valid. */
  async query(expression: string): Promise<void> {
    await this.get('query', { query: expression });
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
    rmSync(this.folder, { recursive: true });
  }

  private async get<T>(path: string, parameters: Record<string, string> = {}): Promise<T> {
    const response = await fetch(`${this.url}/api/v1/${path}?${new URLSearchParams(parameters)}`);
    const answer = (await response.json()) as { status: string; data: T; error?: string };
    if (answer.status !== 'success')
      throw new Error(`${path} ${JSON.stringify(parameters)}: ${answer.error}`);
    return answer.data;
  }
}
