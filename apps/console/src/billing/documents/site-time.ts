import { type Site } from '@inference/config';

/** Time zone of the dates and years on a site's documents. */
export const TIME_ZONES: Record<Site, string> = { intl: 'UTC', cn: 'Asia/Shanghai' };

/** `2026-11-21 23:05:01` in the site's time zone. */
export function formatSiteTime(at: Date, site: Site): string {
  // The Swedish locale formats times like ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', {
    timeZone: TIME_ZONES[site],
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(at);
}

/** `2026-11-21` in the site's time zone. */
export const formatSiteDate = (at: Date, site: Site): string => formatSiteTime(at, site).slice(0, 10);
