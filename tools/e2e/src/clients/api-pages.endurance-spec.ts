import { createTestDatabase, type TestDatabase } from '@inference/testing';
import { type Browser } from 'playwright-core';
import { launchChromium } from '../site/chromium';
import { findProgram } from '../site/nginx';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

/** The pages of the API documents, as each service serves them. */

const SERVICES = [
  'console',
  'gateway',
  'training',
  'router-cost',
  'agent',
  'memo',
  'agent-environments',
] as const;
/** For browsers it is no loopback host, so they treat it as any host on plain http. */
const HOST = 'services.test';

const chrome = findProgram('chromium');
const ifThere = (program: string | undefined) => (program ? it : it.skip);
const prefixOf = (name: string) => (name === 'console' ? '/api' : '');

let database: TestDatabase;
let site: Site;
let browser: Browser | undefined;
const services: Record<string, ServiceProcess> = {};

beforeAll(async () => {
  database = await createTestDatabase();
  site = new Site(database);
  services.console = await site.startConsole();
  services.gateway = await site.startGateway({ url: 'http://127.0.0.1:9' });
  for (const app of ['training', 'router-cost', 'agent', 'memo', 'agent-environments'] as const)
    services[app] = await site.startPlain(app);
  if (chrome) {
    browser = await launchChromium(chrome, [`--host-resolver-rules=MAP ${HOST} 127.0.0.1`]);
  }
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await database?.drop();
});

describe.each(SERVICES)('the API document of %s', (name) => {
  const read = async (path: string) => {
    const response = await fetch(new URL(path, services[name]!.url));
    return { response, text: await response.text() };
  };
  /** What the page, its scripts or its styles load: URLs of `src`, `href`, `url(…)` and `@import`. */
  const loadedBy = (text: string): string[] =>
    [...text.matchAll(/(?:\s(?:src|href)=|\burl\(|@import\s+)["']?([^"')\s>]+)/g)]
      .map(([, url]) => url!)
      .filter((url) => !url.startsWith('data:') && !url.startsWith('#'));

  it('is served, with a page', async () => {
    const document = await read(`${prefixOf(name)}/openapi.json`);
    expect([document.response.status, JSON.parse(document.text)]).toEqual([
      200,
      expect.objectContaining({ openapi: '3.1.0' }),
    ]);
    const page = await read(`${prefixOf(name)}/docs`);
    expect([page.response.status, page.response.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
  });

  it('has a page whose parts are all on this service', async () => {
    const page = await read(`${prefixOf(name)}/docs`);
    const parts = loadedBy(page.text);
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) {
      const url = new URL(part, page.response.url);
      expect(url.host).toBe(new URL(services[name]!.url).host);
      const { response, text } = await read(url.pathname);
      expect([part, response.status]).toEqual([part, 200]);
      if (part.endsWith('.css')) expect(loadedBy(text)).toEqual([]);
    }
  });

  it('has a page that a browser may load by plain http', async () => {
    const { response } = await read(`${prefixOf(name)}/docs`);
    expect(response.headers.get('content-security-policy')).not.toContain('upgrade-insecure-requests');
  });

  ifThere(chrome)('is shown by a browser on plain http, without a request to another host', async () => {
    const tab = await browser!.newPage();
    const asked: string[] = [];
    const faults: string[] = [];
    tab.on('request', (request) => void asked.push(request.url()));
    tab.on('requestfailed', (request) => void faults.push(`${request.url()} failed`));
    tab.on('pageerror', ({ message }) => void faults.push(message));
    const origin = `http://${HOST}:${new URL(services[name]!.url).port}`;
    await tab.goto(`${origin}${prefixOf(name)}/docs`, { waitUntil: 'networkidle' });
    await tab.locator('.opblock').first().waitFor();
    expect(faults).toEqual([]);
    expect(asked.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'))).toEqual([]);
    await tab.close();
  });
});
