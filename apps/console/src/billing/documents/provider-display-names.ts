import { type Language } from '../../identity/accounts/languages';
import { type PaymentProviderName } from '../payment-providers/payment-provider';

/** Names of the providers for customers. */
export const PROVIDER_DISPLAY_NAMES: Record<Language, Record<PaymentProviderName, string>> = {
  en: { card_provider: 'Card', messaging_pay_provider: 'WeChat Pay', wallet_pay_provider: 'Alipay' },
  'zh-CN': { card_provider: '银行卡', messaging_pay_provider: '微信支付', wallet_pay_provider: '支付宝' },
};
