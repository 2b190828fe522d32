import { type Site } from '@inference/config';

/** Whose days and years count on a site's documents. */
export const TIME_ZONES: Record<Site, string> = { intl: 'UTC', cn: 'Asia/Shanghai' };

/** `2026-11-21 23:05:01` on the site's clocks. */
export function siteTime(at: Date, site: Site): string {
  // The Swedish way to write a time is that of ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', {
    timeZone: TIME_ZONES[site],
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(at);
}

/** `2026-11-21` by the site's calendar. */
export const siteDate = (at: Date, site: Site): string => siteTime(at, site).slice(0, 10);
