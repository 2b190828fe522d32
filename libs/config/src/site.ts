/** One deployment is one site; its currency follows from it (spec: "Currency is bound to the site"). */
export type Site = 'intl' | 'cn';
export type Currency = 'USD' | 'CNY';

export const CURRENCY_BY_SITE: Record<Site, Currency> = { intl: 'USD', cn: 'CNY' };
export const CURRENCIES = Object.values(CURRENCY_BY_SITE);

/** In which usage and cost are best asked for, and the daily hours of prices are meant. */
export const TIME_ZONE_BY_SITE: Record<Site, string> = { intl: 'UTC', cn: 'Asia/Shanghai' };
