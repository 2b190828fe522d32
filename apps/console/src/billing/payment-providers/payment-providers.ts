import { type Site } from '@inference/config';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_PATH } from '../../rate-limit/rate-limits';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { AlipayProvider } from './alipay/alipay-provider';
import { type PaymentProvider, type PaymentProviderName } from './payment-provider';
import { PAYMENT_PROVIDERS_CONFIG, type PaymentProvidersConfig } from './payment-providers.config';
import { type PaymentProviderResponse } from './payment-providers.dto';
import { StripeProvider } from './stripe/stripe-provider';
import { WechatProvider } from './wechat/wechat-provider';

const NAMES: Record<Site, PaymentProviderName[]> = {
  intl: ['card_provider'],
  cn: ['messaging_pay_provider', 'wallet_pay_provider'],
};

/** The site's payment providers. A provider without credentials is listed, but not enabled. */
@Injectable()
export class PaymentProviders {
  private readonly enabled: PaymentProvider[];

  constructor(
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    @Inject(PAYMENT_PROVIDERS_CONFIG) { stripe, wechat, alipay }: PaymentProvidersConfig,
  ) {
    const notifyUrl = (name: PaymentProviderName) => ({
      notifyUrl: `${site.consoleUrl}${WEBHOOK_PATH}${name}`,
    });
    this.enabled = [
      ...(stripe ? [new StripeProvider(stripe)] : []),
      ...(wechat ? [new WechatProvider(wechat, notifyUrl('messaging_pay_provider'))] : []),
      ...(alipay ? [new AlipayProvider(alipay, notifyUrl('wallet_pay_provider'))] : []),
    ];
  }

  /** The enabled ones. */
  all(): readonly PaymentProvider[] {
    return this.enabled;
  }

  /** Null for an unknown name, and for a provider without credentials. */
  find(name: string): PaymentProvider | null {
    return this.enabled.find((provider) => provider.name === name) ?? null;
  }

  views(): PaymentProviderResponse[] {
    const { site, currency } = this.site;
    return NAMES[site].map((name) => ({
      name,
      enabled: this.find(name) !== null,
      currency,
      region: site,
    }));
  }
}
