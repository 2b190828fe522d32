import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase, waitFor } from '@inference/testing';
import { type Browser, type BrowserContext, type CDPSession, type Page } from 'playwright-core';
import { launchChromium } from '../../site/chromium';
import { consoleBody } from '../../site/console-client';
import { createAdmin } from '../../site/create-admin';
import { findProgram } from '../../site/nginx';
import { ROOT, type ServiceProcess } from '../../site/service-process';
import { Site } from '../../site/site';
import { collectFaults } from '../browser-faults';
import { SignInPage } from '../console-pages';
import { PackagePages } from './catalogue-pages';

/** A package of several parts, whose upload is cut off, in Chromium, against a real console. */

const ADMIN = { email: 'admin@example.com', password: 'the password of the admin' };
/** Two parts of 16 MiB and a rest. */
const CONTENT = randomBytes(34_000_000);
const NAME = 'large-model.gguf';
/** At this speed a part takes two seconds. */
const UPLOAD_BYTES_PER_SECOND = 8_000_000;
const SPEED = {
  offline: false,
  latency: 0,
  downloadThroughput: -1,
  uploadThroughput: UPLOAD_BYTES_PER_SECOND,
};

const chrome = findProgram('chromium');
const ifThere = chrome ? it : it.skip;
const folder = mkdtempSync(join(tmpdir(), 'packages-'));
const file = join(folder, NAME);

let database: TestDatabase;
let site: Site;
let consoleService: ServiceProcess;
let token: string;
let browser: Browser | undefined;
let context: BrowserContext;
let tab: Page;
let network: CDPSession;
let pages: PackagePages;
let faults: string[];

const read = <Body>(path: string) => consoleBody<Body>(consoleService.url, 'GET', path, { token });
const unfinished = async () =>
  (await read<{ uploads: { parts: number; arrived_parts: number[] }[] }>('/api/admin/package-uploads'))
    .uploads;
const untilArrived = (parts: number) =>
  waitFor(async () => {
    const [upload] = await unfinished();
    return upload && upload.arrived_parts.length >= parts ? upload : null;
  });

beforeAll(async () => {
  writeFileSync(file, CONTENT);
  database = await createTestDatabase();
  site = new Site(database);
  consoleService = await site.startConsole({
    CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
    STORAGE_FOLDER: join(folder, 'storage'),
  });
  await createAdmin(database.urlFor('console'), 'intl', ADMIN);
  ({ token } = await consoleBody<{ token: string }>(consoleService.url, 'POST', '/api/auth/login', {
    json: { identifier: ADMIN.email, password: ADMIN.password },
  }));
  if (!chrome) return;
  browser = await launchChromium(chrome);
  context = await browser.newContext({ baseURL: consoleService.url, locale: 'en-US' });
  tab = await context.newPage();
  pages = new PackagePages(tab);
  network = await context.newCDPSession(tab);
  await network.send('Network.enable');
  faults = collectFaults(tab, [new URL(consoleService.url).origin]);
  await tab.goto('/sign-in');
  await new SignInPage(tab).signIn(ADMIN);
  await tab.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await database?.drop();
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  if (chrome) expect(faults).toEqual([]);
});

ifThere('goes on after a reload with the parts that are missing', async () => {
  await tab.goto('/admin/models');
  await pages.describe('acme/large', 'Large');
  await tab.getByRole('heading', { name: 'Large', level: 1 }).waitFor();
  await network.send('Network.emulateNetworkConditions', SPEED);
  await pages.upload('1.0', file);
  await untilArrived(1);
  await tab.reload();
  await pages.goOn(NAME);
  const other = join(folder, 'other.gguf');
  writeFileSync(other, CONTENT);
  await pages.choose(other);
  await tab.getByText('This is not the original file').waitFor();
  const sent: string[] = [];
  tab.on('request', (request) => void sent.push(request.url().replace(/.*\//, '')));
  await pages.choose(file);
  await pages.row('1.0').getByText('Not published').waitFor();
  expect(sent).toContain('3');
  expect(sent).not.toContain('1');
  expect(await unfinished()).toEqual([]);
  const { packages } = await read<{ packages: { sha256: string }[] }>('/api/admin/models/acme/large');
  expect(packages.map(({ sha256 }) => sha256)).toEqual([createHash('sha256').update(CONTENT).digest('hex')]);
});

ifThere('waits while the service cannot be reached, and goes on by itself', async () => {
  await network.send('Network.emulateNetworkConditions', SPEED);
  await pages.upload('2.0', file);
  await untilArrived(1);
  await network.send('Network.emulateNetworkConditions', { ...SPEED, offline: true });
  await tab.getByText('The upload resumes automatically').waitFor();
  await network.send('Network.emulateNetworkConditions', { ...SPEED, uploadThroughput: -1 });
  await pages.row('2.0').getByText('Not published').waitFor();
});

ifThere('discards what was not finished', async () => {
  await network.send('Network.emulateNetworkConditions', SPEED);
  await pages.upload('3.0', file);
  await untilArrived(1);
  await tab.getByRole('dialog').getByRole('button', { name: 'Stop the upload' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await tab.getByRole('button', { name: `Discard ${NAME}` }).click();
  await tab.getByText('Unfinished uploads').waitFor({ state: 'detached' });
  expect(await unfinished()).toEqual([]);
});
