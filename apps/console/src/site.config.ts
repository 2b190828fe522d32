import { type Currency, CURRENCY_BY_SITE, env, type Site } from '@inference/config';
import { z } from 'zod';

export const SITE_CONFIG = Symbol('SITE_CONFIG');

export const siteFields = {
  /** Name of the site, shown to people in mails, documents and authenticator apps. */
  SITE_NAME: z.string().max(200).default('Inference Platform'),
  /** URL at which customers reach this service. */
  CONSOLE_URL: env.httpUrl(),
  /** URL of the console's pages in a browser, `CONSOLE_URL` by default. Links in mails lead there. */
  CONSOLE_UI_URL: env.httpUrl().optional(),
};

type Fields = z.output<z.ZodObject<typeof siteFields>> & { SITE: Site };

/** What this deployment is, and where it is reached. */
export interface SiteConfig {
  site: Site;
  currency: Currency;
  /** Shown to people: in mails, documents and authenticator apps. */
  name: string;
  /** Root of this service, without a slash at the end. */
  consoleUrl: string;
  /** Root of the console's pages, without a slash at the end. */
  consoleUiUrl: string;
}

export function siteOf(config: Fields): SiteConfig {
  return {
    site: config.SITE,
    currency: CURRENCY_BY_SITE[config.SITE],
    name: config.SITE_NAME,
    consoleUrl: config.CONSOLE_URL,
    consoleUiUrl: config.CONSOLE_UI_URL ?? config.CONSOLE_URL,
  };
}

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether the connection is protected from the network: https, or an address of this machine. Throws if `url` is not a URL. */
export function isPrivateChannel(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || LOOPBACK_HOSTS.has(hostname);
}
