import { Inject, Injectable } from '@nestjs/common';
import { type Currency, CURRENCY_BY_SITE, type Site } from '@inference/config';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { WEBHOOK_PATH } from '../service-options';
import { AlipayProvider } from './alipay/alipay-provider';
import { type PaymentProvider, type PaymentProviderName } from './payment-provider';
import { StripeProvider } from './stripe/stripe-provider';
import { WechatProvider } from './wechat/wechat-provider';

/** Spec: Payment provider entry. */
export interface PaymentProviderView {
  name: PaymentProviderName;
  /** Whether its credentials are configured on this site. */
  enabled: boolean;
  currency: Currency;
  region: Site;
}

const NAMES: Record<Site, PaymentProviderName[]> = {
  intl: ['card_provider'],
  cn: ['messaging_pay_provider', 'wallet_pay_provider'],
};

/** The site's payment providers; those with credentials can be used. */
@Injectable()
export class PaymentProviders {
  private readonly site: Site;
  private readonly enabled: PaymentProvider[];

  constructor(@Inject(CONSOLE_CONFIG) config: ConsoleConfig) {
    const { stripe, wechat, alipay } = config.payments;
    const notifyUrl = (name: PaymentProviderName) => ({
      notifyUrl: `${config.CONSOLE_URL}${WEBHOOK_PATH}${name}`,
    });
    this.site = config.SITE;
    this.enabled = [
      ...(stripe ? [new StripeProvider(stripe)] : []),
      ...(wechat ? [new WechatProvider(wechat, notifyUrl('messaging_pay_provider'))] : []),
      ...(alipay ? [new AlipayProvider(alipay, notifyUrl('wallet_pay_provider'))] : []),
    ];
  }

  all(): readonly PaymentProvider[] {
    return this.enabled;
  }

  /** Null for one that has no credentials here, and for a name that is none. */
  find(name: string): PaymentProvider | null {
    return this.enabled.find((provider) => provider.name === name) ?? null;
  }

  views(): PaymentProviderView[] {
    return NAMES[this.site].map((name) => ({
      name,
      enabled: this.find(name) !== null,
      currency: CURRENCY_BY_SITE[this.site],
      region: this.site,
    }));
  }
}
