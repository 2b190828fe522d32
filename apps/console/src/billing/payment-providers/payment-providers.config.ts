import { type Site } from '@inference/config';
import { type z } from 'zod';
import { type AlipayConfig, alipayOf, alipayFields, REQUIRED_BY_ALIPAY } from './alipay/alipay.config';
import {
  REQUIRED_BY_STRIPE,
  STRIPE_MAX_PICOS,
  STRIPE_MIN_PICOS,
  type StripeConfig,
  stripeOf,
  stripeFields,
} from './stripe/stripe.config';
import { REQUIRED_BY_WECHAT, type WechatConfig, wechatOf, wechatFields } from './wechat/wechat.config';

export const PAYMENT_PROVIDERS_CONFIG = Symbol('PAYMENT_PROVIDERS_CONFIG');

export const paymentProviderFields = { ...stripeFields, ...wechatFields, ...alipayFields };

type Fields = z.output<z.ZodObject<typeof paymentProviderFields>>;
type FieldName = keyof Fields;

interface ProviderVariables {
  site: Site;
  required: readonly FieldName[];
  optional: readonly FieldName[];
}

const PROVIDERS: ProviderVariables[] = [
  { site: 'intl', required: REQUIRED_BY_STRIPE, optional: ['STRIPE_API_URL'] },
  { site: 'cn', required: REQUIRED_BY_WECHAT, optional: ['WECHAT_PAY_API_URL'] },
  { site: 'cn', required: REQUIRED_BY_ALIPAY, optional: ['ALIPAY_GATEWAY_URL'] },
];

/** Credentials of the payment providers, null for a provider without them. */
export interface PaymentProvidersConfig {
  stripe: StripeConfig | null;
  wechat: WechatConfig | null;
  alipay: AlipayConfig | null;
}

/** Reports every variable that a provider lacks or that belongs to the other site. */
export function checkPaymentProviders(
  config: Partial<Fields> & { SITE: Site; MIN_TOPUP?: bigint | undefined; MAX_TOPUP?: bigint | undefined },
  context: z.RefinementCtx,
): void {
  const fault = (name: FieldName | 'MIN_TOPUP' | 'MAX_TOPUP', message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  for (const { site, required, optional } of PROVIDERS) {
    const present = [...required, ...optional].filter((name) => config[name] !== undefined);
    if (present.length === 0) continue;
    if (config.SITE !== site && (config.SITE as string | undefined) !== undefined) {
      for (const name of present) fault(name, `is for the site ${site} only`);
      continue;
    }
    for (const name of required)
      if (config[name] === undefined) fault(name, `is missing beside ${present[0]}`);
  }
  const { STRIPE_SECRET_KEY, MIN_TOPUP, MAX_TOPUP } = config;
  if (STRIPE_SECRET_KEY !== undefined && typeof MIN_TOPUP === 'bigint' && MIN_TOPUP < STRIPE_MIN_PICOS)
    fault('MIN_TOPUP', 'is less than Stripe takes, 0.50');
  if (STRIPE_SECRET_KEY !== undefined && typeof MAX_TOPUP === 'bigint' && MAX_TOPUP > STRIPE_MAX_PICOS)
    fault('MAX_TOPUP', 'is more than Stripe takes, 999999.99');
  const { WECHAT_PAY_MERCHANT_SERIAL: merchantSerial, WECHAT_PAY_PLATFORM_KEYS: platformKeys } = config;
  if (merchantSerial !== undefined && Object.hasOwn(platformKeys ?? {}, merchantSerial.toUpperCase()))
    fault('WECHAT_PAY_PLATFORM_KEYS', "holds the merchant's own certificate, and must hold WeChat Pay's");
}

export const paymentProvidersOf = (config: Fields): PaymentProvidersConfig => ({
  stripe: stripeOf(config),
  wechat: wechatOf(config),
  alipay: alipayOf(config),
});
