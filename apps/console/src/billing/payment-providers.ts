import { type Currency, CURRENCY_BY_SITE, type Site } from '@inference/config';

/** Spec: Payment provider entry. */
export interface PaymentProviderView {
  name: string;
  /** Whether its credentials are configured on this site. */
  enabled: boolean;
  currency: Currency;
  region: Site;
}

const PROVIDERS: Record<Site, string[]> = {
  intl: ['card_provider'],
  cn: ['messaging_pay_provider', 'wallet_pay_provider'],
};

/** The providers of a site; the console's configuration has no credentials for any of them. */
export function paymentProviders(site: Site): PaymentProviderView[] {
  return PROVIDERS[site].map((name) => ({
    name,
    enabled: false,
    currency: CURRENCY_BY_SITE[site],
    region: site,
  }));
}
