import { createCipheriv, createSign, randomBytes, randomInt, X509Certificate } from 'node:crypto';
import { type WechatAccount, type WechatPlatformKey } from '../credentials/provider-accounts';
import { chinaTime } from './china-time';

const NONCE_BYTES = 16;
const GCM_NONCE_CHARS = 12;

export interface SigningFaults {
  wrongSignature?: boolean;
  /** Seconds that are added to the time of the signature. */
  clockOffset?: number;
}

/** Signs and encrypts as WeChat Pay does. */
export class WechatPlatform {
  constructor(private readonly account: WechatAccount) {}

  knows(serial: string): boolean {
    return this.account.platformKeys.some(({ id }) => id === serial);
  }

  /**
   * The signature headers of a body. `requestedKeyId` is the id of the public key that the merchant requests. Without it
   * the key is any of the platform's keys, as during a rotation.
   */
  sign(body: string, requestedKeyId?: string, faults: SigningFaults = {}): Record<string, string> {
    const key = this.keyFor(requestedKeyId);
    const timestamp = Math.floor(Date.now() / 1000) + (faults.clockOffset ?? 0);
    const nonce = randomBytes(NONCE_BYTES).toString('hex');
    const signed = faults.wrongSignature ? `${body} ` : body;
    return {
      'Wechatpay-Serial': key.id,
      'Wechatpay-Timestamp': String(timestamp),
      'Wechatpay-Nonce': nonce,
      'Wechatpay-Signature': createSign('RSA-SHA256')
        .update(`${timestamp}\n${nonce}\n${signed}\n`)
        .sign(key.privateKey, 'base64'),
      'Wechatpay-Signature-Type': 'WECHATPAY2-SHA256-RSA2048',
    };
  }

  /** AES-256-GCM with the merchant's APIv3 key. */
  encrypt(plaintext: string, associatedData: string) {
    const nonce = randomBytes(NONCE_BYTES).toString('hex').slice(0, GCM_NONCE_CHARS);
    const cipher = createCipheriv('aes-256-gcm', this.account.apiV3Key, nonce).setAAD(
      Buffer.from(associatedData),
    );
    const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return {
      algorithm: 'AEAD_AES_256_GCM',
      nonce,
      associated_data: associatedData,
      ciphertext: ciphertext.toString('base64'),
    };
  }

  /** The data of GET /v3/certificates. Empty if the merchant has only public keys. */
  certificates() {
    return this.account.platformKeys.flatMap(({ id, certificate }) => {
      if (certificate === undefined) return [];
      const { validFrom, validTo } = new X509Certificate(certificate);
      return [
        {
          serial_no: id,
          effective_time: chinaTime(validFrom),
          expire_time: chinaTime(validTo),
          encrypt_certificate: this.encrypt(certificate, 'certificate'),
        },
      ];
    });
  }

  private keyFor(requestedKeyId?: string): WechatPlatformKey {
    const { platformKeys } = this.account;
    const named = platformKeys.find(
      ({ id, certificate }) => id === requestedKeyId && certificate === undefined,
    );
    return named ?? platformKeys[randomInt(platformKeys.length)]!;
  }
}
