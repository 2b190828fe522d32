/** The credentials that a merchant and a provider have exchanged. Keys are in PEM. */
export interface StripeParty {
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

export interface WechatParty {
  appId: string;
  merchantId: string;
  merchantSerial: string;
  merchantPublicKey: string;
  apiV3Key: string;
  /** The signing keys, used alternately as during a rotation. */
  platformKeys: WechatPlatformKey[];
}

export interface AlipayParty {
  appId: string;
  sellerId: string;
  appPublicKey: string;
  alipayPrivateKey: string;
}

/** The providers at which the merchant has an account. */
export interface Parties {
  stripe?: StripeParty | undefined;
  wechat?: WechatParty | undefined;
  alipay?: AlipayParty | undefined;
}
