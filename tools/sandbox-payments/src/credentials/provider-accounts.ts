/** The merchant's account at a provider: the credentials that both have exchanged. Keys are in PEM. */
export interface StripeAccount {
  secretKey: string;
  /** The address to which events are posted. */
  webhookUrl: string;
  webhookSecret: string;
}

/** A signing key of WeChat Pay. `id` is that of a public key (PUB_KEY_ID_…), or the serial number of a certificate. */
export interface WechatPlatformKey {
  id: string;
  privateKey: string;
  /** The certificate, if the key has one. The API also returns it. */
  certificate?: string | undefined;
}

export interface WechatAccount {
  appId: string;
  merchantId: string;
  merchantSerial: string;
  merchantPublicKey: string;
  apiV3Key: string;
  /** The signing keys, used alternately as during a rotation. */
  platformKeys: WechatPlatformKey[];
}

export interface AlipayAccount {
  appId: string;
  sellerId: string;
  appPublicKey: string;
  alipayPrivateKey: string;
}

/** The providers at which the merchant has an account. */
export interface ProviderAccounts {
  stripe?: StripeAccount | undefined;
  wechat?: WechatAccount | undefined;
  alipay?: AlipayAccount | undefined;
}
