import { join } from 'node:path';
import { createTestDatabase, publishPrices, type TestDatabase } from '@inference/testing';
import { type Browser, type Page } from 'playwright-core';
import { createAdmin } from '../../site/create-admin';
import { ROOT } from '../../site/service-process';
import { Site } from '../../site/site';
import { collectFaults } from '../browser-faults';
import { SignInPage } from '../console-pages';

/** A site with its console and cost report, and a person who may seed usage of the past. */
export interface RunningSite {
  database: TestDatabase;
  site: Site;
  consoleUrl: string;
  token: string;
  accountId: string;
  stopRouterCost(): Promise<unknown>;
  stop(): Promise<void>;
}

const PERSON = { email: 'ann@example.com', password: 'a password of this test' };

/** @param environment of the console besides */
export async function startSite(
  name: 'intl' | 'cn',
  environment: Record<string, string> = {},
): Promise<RunningSite> {
  const database = await createTestDatabase();
  await database.pool.query(
    'CREATE TABLE metering.usage_events_earlier PARTITION OF metering.usage_events DEFAULT',
  );
  await publishPrices(database.pool, [{ slug: 'chat', unit: 'per_request', ratePicos: 1n }]);
  const site = new Site(database, { site: name });
  const routerCost = await site.startRouterCost();
  const { url: consoleUrl } = await site.startConsole({
    CONSOLE_UI_DIRECTORY: join(ROOT, 'dist/apps/console-ui'),
    ROUTER_URL: routerCost.url,
    ...environment,
  });
  await createAdmin(database.urlFor('console'), name, PERSON);
  const answer = await fetch(`${consoleUrl}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ identifier: PERSON.email, password: PERSON.password }),
  });
  const { token, user } = (await answer.json()) as { token: string; user: { id: string } };
  return {
    database,
    site,
    consoleUrl,
    token,
    accountId: user.id,
    stopRouterCost: () => routerCost.stop(),
    stop: async () => {
      await site.stop();
      await database.drop();
    },
  };
}

/** A tab in which the person has signed in, and what goes wrong in it. */
export async function signIn(
  browser: Browser,
  { consoleUrl }: RunningSite,
): Promise<{ tab: Page; faults: string[] }> {
  const context = await browser.newContext({
    baseURL: consoleUrl,
    locale: 'en-US',
    timezoneId: 'UTC',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const tab = await context.newPage();
  const faults = collectFaults(tab, [new URL(consoleUrl).origin]);
  await tab.goto('/sign-in');
  await new SignInPage(tab).signIn(PERSON);
  await tab.waitForURL('**/overview');
  return { tab, faults };
}
