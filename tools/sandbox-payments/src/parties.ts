/** The credentials that a merchant and each provider have of one another. Keys are PEM texts. */
export interface StripeParty {
  secretKey: string;
  /** Where events are posted, and what they are signed with. */
  webhookUrl: string;
  webhookSecret: string;
}

/** What WeChat Pay signs with: a public key by its id (PUB_KEY_ID_…), or a certificate by its serial number. */
export interface WechatPlatformKey {
  id: string;
  privateKey: string;
  /** Of a certificate; it is also to be had from the API. */
  certificate?: string | undefined;
}

export interface WechatParty {
  appId: string;
  merchantId: string;
  merchantSerial: string;
  merchantPublicKey: string;
  apiV3Key: string;
  /** Used in turn, as during a rotation. */
  platformKeys: WechatPlatformKey[];
}

export interface AlipayParty {
  appId: string;
  sellerId: string;
  appPublicKey: string;
  alipayPrivateKey: string;
}

/** The providers that somebody is a merchant of. */
export interface Parties {
  stripe?: StripeParty | undefined;
  wechat?: WechatParty | undefined;
  alipay?: AlipayParty | undefined;
}
