import { type Site } from '@inference/config';
import { formatDecimal } from '@inference/money';
import { type Language } from '../../accounts/languages';
import { type PaymentProviderName } from '../payment-providers/payment-provider';
import { minorToDecimal } from '../payments/minor-amount';

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

/** Formats an amount in hundredths: `1,234,567.80`. */
export const formatMinorAmount = (minor: bigint): string => formatDecimal(minorToDecimal(minor));

const LINE_BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu;
/** Bidirectional controls can reorder the text around them and so falsify it. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const CONTROLS = /[\p{Cc}\p{Surrogate}]/gu;
const REPLACEMENT = '\ufffd';

/**
 * Makes untrusted text one visible line: line breaks become spaces, direction marks are dropped, and other control
 * characters become U+FFFD.
 */
export function toPrintableLine(text: string): string {
  return text
    .normalize('NFC')
    .replace(LINE_BREAKS, ' ')
    .replace(DIRECTION_MARKS, '')
    .replace(CONTROLS, REPLACEMENT);
}

/** Names of the providers for customers. */
export const PROVIDER_DISPLAY_NAMES: Record<Language, Record<PaymentProviderName, string>> = {
  en: { card_provider: 'Card', messaging_pay_provider: 'WeChat Pay', wallet_pay_provider: 'Alipay' },
  'zh-CN': { card_provider: '银行卡', messaging_pay_provider: '微信支付', wallet_pay_provider: '支付宝' },
};
