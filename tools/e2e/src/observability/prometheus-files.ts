import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
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

export type Alert = Rule & { alert: string };

export interface ScrapeConfig {
  job_name: string;
  dns_sd_configs: { names: string[]; type: string; port: number }[];
}

export interface PrometheusConfig {
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
