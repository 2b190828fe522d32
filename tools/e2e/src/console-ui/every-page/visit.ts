import { rememberSecret } from '@inference/testing';
import { type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { type Platform } from '../../deployment/site-runs';
import { collectFaults } from '../browser-faults';
import { ServedTexts } from './served-texts';
import { type Picture, picturesOf, type Viewer } from './page-list';

/** The services that the pages ask. */
const PAGE_HOSTS = ['console', 'memo', 'training'];

/** A tab of one viewer that goes from page to page without loading anew, which keeps the session. */
export class Visit {
  readonly faults: string[];
  readonly served: ServedTexts;
  private underway = 0;

  private constructor(
    readonly tab: Page,
    origins: string[],
  ) {
    this.faults = collectFaults(tab, origins);
    this.served = new ServedTexts(tab);
    tab.on('request', () => (this.underway += 1));
    for (const event of ['requestfinished', 'requestfailed'] as const)
      tab.on(event as 'requestfinished', () => (this.underway -= 1));
    tab.on('response', (response) => {
      if (!/\/api\/auth\/(login|refresh)$/.test(response.url())) return;
      void response
        .json()
        .then(({ token }: { token?: string }) => token && rememberSecret(token))
        .catch(() => undefined);
    });
  }

  static async begin(
    browser: Browser,
    { urls, accounts }: Platform,
    viewer: Viewer,
    options: BrowserContextOptions,
  ): Promise<Visit> {
    const context = await browser.newContext({ baseURL: urls.console!, reducedMotion: 'reduce', ...options });
    const visit = new Visit(
      await context.newPage(),
      PAGE_HOSTS.map((service) => new URL(urls[service]!).origin),
    );
    const { tab } = visit;
    await tab.goto('/sign-in');
    if (viewer !== 'visitor') {
      await tab.locator('input[autocomplete=username]').fill(accounts[viewer].identifier);
      await tab.locator('input[autocomplete=current-password]').fill(accounts[viewer].password);
      await tab.locator('button[type=submit]').click();
      await tab.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
    }
    return visit;
  }

  /** Shows each page of the viewer to `look`. Returns the addresses that were visited. */
  async everyPage(viewer: Viewer, look: (picture: Picture) => Promise<void>): Promise<string[]> {
    const addresses: string[] = [];
    for (const picture of picturesOf(viewer)) {
      await this.show(picture).catch((error: Error) => {
        throw new Error(`${picture.name}: ${error.message}`, { cause: error });
      });
      addresses.push(new URL(this.tab.url()).pathname);
      await look(picture);
    }
    return addresses;
  }

  async resize(size: { width: number; height: number }): Promise<void> {
    await this.tab.setViewportSize(size);
    await this.untilLoaded();
  }

  end(): Promise<void> {
    return this.tab.context().close();
  }

  private async show({ path, act }: Picture): Promise<void> {
    // Another page first, so that no dialog stays open; and the mouse away, so that no button shows its name.
    await this.goTo('/no-such-page');
    await this.tab.mouse.move(0, 0);
    await this.tab.locator('main a[href="/"]').waitFor();
    await this.goTo(path);
    await this.untilLoaded();
    await act?.(this.tab);
    await this.untilLoaded();
  }

  private goTo(path: string): Promise<void> {
    return this.tab.evaluate(
      `history.pushState({}, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
    );
  }

  /** Waits for the code of the page, its data, and the end of transitions. */
  private async untilLoaded(): Promise<void> {
    let quietLooks = 0;
    while (quietLooks < 2) {
      const isShown = await this.tab.evaluate<boolean>(IS_SHOWN);
      quietLooks = isShown && this.underway === 0 ? quietLooks + 1 : 0;
    }
  }
}

/** Resolves after two frames. A page has a heading of the first level; what loads has a skeleton. */
const IS_SHOWN = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() =>
  document.querySelector('h1') !== null &&
  document.querySelector('.mantine-Skeleton-root') === null &&
  document.getAnimations().every(({ playState, effect }) =>
    playState !== 'running' || effect.getTiming().iterations === Infinity))`;
