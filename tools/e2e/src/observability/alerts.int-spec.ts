import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@inference/testing';
import { ROOT } from '../site/service-process';
import {
  readPage,
  readRunbookQueries,
  RUNBOOKS,
  runbookOf,
  readAlerts,
  readAlertTests,
  readDashboard,
  readPrometheusConfig,
} from './prometheus-process';

const alerts = readAlerts();
const names = alerts.map(({ alert }) => alert);

it('every alert has a test in which it fires, and one in which it is quiet', () => {
  const tests = readAlertTests();
  const tested = (fires: boolean) =>
    [
      ...new Set(
        tests.filter(({ exp_alerts: found }) => found.length > 0 === fires).map((test) => test.alertname),
      ),
    ].sort();
  expect(tested(true)).toEqual([...names].sort());
  expect(tested(false)).toEqual([...names].sort());
});

it.each(alerts)('$alert says how severe it is, what it means and where its page is', (rule) => {
  expect(['critical', 'warning']).toContain(rule.labels?.severity);
  expect(rule.annotations).toEqual({
    summary: expect.stringMatching(/\.$/),
    description: expect.stringMatching(/\.$/),
    runbook_url: runbookOf(rule.alert),
  });
});

it('every page is of an alert, and the index lists all with their severity', () => {
  const pages = readdirSync(join(ROOT, RUNBOOKS)).map((name) => `${RUNBOOKS}/${name}`);
  expect(pages.sort()).toEqual([...names.map(runbookOf), `${RUNBOOKS}/README.md`].sort());
  const listed = readPage(`${RUNBOOKS}/README.md`).matchAll(/^\| \[(\w+)\]\(([\w-]+\.md)\) \| (\w+) \|/gm);
  expect([...listed].map(([, alert, page, severity]) => [alert, `${RUNBOOKS}/${page}`, severity])).toEqual(
    alerts
      .map(({ alert, labels }) => [alert, runbookOf(alert), labels?.severity])
      .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  );
});

it.each(names)('the page of %s fits a screen and has the usual parts', (alert) => {
  const page = readPage(runbookOf(alert));
  expect(page.match(/^#+ .*/gm)).toEqual([`# ${alert}`, '## First look', '## What to do', '## Over when']);
  expect(page).toContain('**Who notices:**');
  expect(page).toMatch(/```(sh not-run|sql|promql)\n/);
  expect(page.split('\n').length).toBeLessThanOrEqual(50);
});

it('Prometheus scrapes each service of the compose file at the port of the images', () => {
  const { scrape_configs: jobs, rule_files: files } = readPrometheusConfig();
  const services = [...readPage('docker/compose.yaml').matchAll(/^ {8}APP: ([\w-]+)$/gm)].map(
    ([, app]) => app,
  );
  const port = Number(/METRICS_PORT=(\d+)/.exec(readPage('docker/Dockerfile'))![1]);
  expect(files).toEqual(['rules.yaml']);
  expect(jobs.map(({ job_name: job }) => job).sort()).toEqual([...new Set(services)].sort());
  for (const { job_name: job, dns_sd_configs: targets } of jobs)
    expect(targets).toEqual([{ names: [job], type: 'A', port }]);
});

it('the dashboard chooses its data source and the service', () => {
  const { templating, panels } = readDashboard();
  expect(templating.list.map(({ name }) => name)).toEqual(['datasource', 'service']);
  const graphs = panels.filter(({ type }) => type !== 'row');
  expect(graphs.filter(({ targets = [] }) => targets.length === 0)).toEqual([]);
});

describe('the statements of the pages', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await createTestDatabase()));
  afterAll(() => database.drop());

  const statements = names.flatMap((alert) =>
    readRunbookQueries(alert, 'sql')
      .flatMap((sql) => sql.split(';'))
      .filter((sql) => sql.trim() !== '')
      .map((sql) => [alert, sql]),
  );

  it.each(statements)('of %s can be run: %s', async (_alert, sql) => {
    await database.pool.query(sql!);
  });
});
