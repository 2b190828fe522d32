export {
  type CookieNames,
  cookieNames,
  isCookieSecure,
  sessionCookieNames,
  withoutPrefix,
} from './cookie-names';
export { ConfigError, loadConfig } from './load-config';
export * as env from './fields';
export { CURRENCIES, CURRENCY_BY_SITE, type Currency, type Site, TIME_ZONE_BY_SITE } from './site';
