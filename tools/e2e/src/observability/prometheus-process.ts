import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, testLog, waitFor } from '@inference/testing';
import { PROMETHEUS_FOLDER, readPrometheusConfig } from './prometheus-files';

export const PROMETHEUS = '/usr/bin/prometheus';

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
