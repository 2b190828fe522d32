import { createPublicKey, type KeyLike } from 'node:crypto';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Aes, Decorator } from 'wechatpay-axios-plugin';
import { z } from 'zod';
import { type WechatConfig } from '../../config.payments';
import { ProviderRefusal, ProviderUnavailable } from '../payment-provider';
import { PlatformKeys } from './platform-keys';
import { certificates, type encrypted, fault } from './wechat-messages';
import { isSignedBy, isTimely, signatureOf } from './wechat-signature';

const CERTIFICATES = '/v3/certificates';
const MAX_ANSWER_BYTES = 1_000_000;
const MAX_MESSAGE_CHARS = 200;
/** The library's name for an answer under a key that it was not given. */
const UNKNOWN_KEY = 'EV3_RES_HEADER_PLATFORM_SERIAL';
/** Said with a 4xx, and yet no answer to the question. */
const TROUBLE = new Set(['SYSTEM_ERROR', 'SYSTEMERROR', 'FREQUENCY_LIMITED', 'RATELIMIT_EXCEEDED']);

export interface WechatRequest {
  method: 'GET' | 'POST';
  path: string;
  query?: Record<string, string>;
  body?: object;
}

export interface WechatLimits {
  /** For one call, however many requests it takes; fetching certificates comes on top. */
  timeoutMs: number;
  certificatesTimeoutMs: number;
  certificatesEveryMs: number;
}

/** What the library throws: axios' error, with a body that it has parsed when it is JSON. */
const failure = z.object({
  code: z.string().optional(),
  response: z
    .object({
      status: z.number(),
      data: z.unknown(),
      // An object of axios' own, which zod takes for no record.
      headers: z.custom<Record<string, unknown>>(
        (headers) => typeof headers === 'object' && headers !== null,
      ),
    })
    .optional(),
});

/** WeChat Pay's own no, by its code. */
export class WechatRefusal extends ProviderRefusal {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** WeChat Pay's API v3 through its client library, which signs requests and checks the signatures of answers. */
export class WechatClient {
  readonly keys: PlatformKeys;
  /**
   * Every request has a connection of its own: one that is kept may be closed by the other side in the moment it is
   * used, and payments are too few for it to matter.
   */
  private readonly agents = { httpAgent: new HttpAgent(), httpsAgent: new HttpsAgent() };

  constructor(
    private readonly config: WechatConfig,
    private readonly limits: WechatLimits,
  ) {
    this.keys = new PlatformKeys(
      config.platformKeys,
      () => this.fetchCertificates(),
      limits.certificatesEveryMs,
    );
  }

  /** The time that a call has. */
  deadline(): AbortSignal {
    return AbortSignal.timeout(this.limits.timeoutMs);
  }

  /**
   * The body of the answer, which WeChat Pay has signed. Throws a WechatRefusal or a ProviderUnavailable. A request
   * whose answer is under an unknown certificate is sent again, so it must be one that can be.
   */
  async ask<Shape extends z.ZodType>(
    shape: Shape,
    request: WechatRequest,
    deadline: AbortSignal,
  ): Promise<z.output<Shape>> {
    if (Object.keys(this.keys.inForce()).length === 0) await this.keys.refresh();
    let answer: unknown;
    try {
      answer = await this.send(request, deadline);
    } catch (error) {
      if (!(await this.hasNewKeyFor(error))) throw outcomeOf(error);
      answer = await this.send(request, deadline).catch((again: unknown) => {
        throw outcomeOf(again);
      });
    }
    const { success, data } = shape.safeParse(answer);
    if (!success) throw new ProviderUnavailable('WeChat Pay answered something else than it should');
    return data;
  }

  private async send({ method, path, query, body }: WechatRequest, signal: AbortSignal): Promise<unknown> {
    const keys = this.keys.inForce();
    if (Object.keys(keys).length === 0)
      throw new ProviderUnavailable('no certificate of WeChat Pay is in force');
    const { data } = await this.library(keys).request<unknown>({
      method,
      url: path,
      ...(query ? { params: query } : {}),
      ...(body ? { data: body } : {}),
      signal,
    });
    return data;
  }

  /** Made anew each time: it keeps to the keys that it was made with, however old they have become. */
  private library(certs: Record<string, KeyLike>): Decorator['v3'] {
    const { apiUrl, merchantId, merchantSerial, merchantKey } = this.config;
    const { publicKeyId } = this.keys;
    return new Decorator({
      mchid: merchantId,
      serial: merchantSerial,
      privateKey: merchantKey,
      certs,
      baseURL: apiUrl,
      ...(publicKeyId === undefined ? {} : { headers: { 'Wechatpay-Serial': publicKeyId } }),
      maxRedirects: 0,
      maxContentLength: MAX_ANSWER_BYTES,
      ...this.agents,
    }).v3;
  }

  private async hasNewKeyFor(error: unknown): Promise<boolean> {
    const { success, data } = failure.safeParse(error);
    const serial = success && data.code === UNKNOWN_KEY && data.response?.headers['wechatpay-serial'];
    return typeof serial === 'string' && (await this.keys.find(serial)) !== null;
  }

  /** The answer vouches for itself: its key is among those in it, which only who knows the APIv3 key can have made. */
  private async fetchCertificates(): Promise<Record<string, string>> {
    const answer = await this.library(this.config.platformKeys)
      .request<string>({
        url: CERTIFICATES,
        // The library's own check knows nothing of keys that come with the answer.
        transformResponse: (body: string) => body,
        signal: AbortSignal.timeout(this.limits.certificatesTimeoutMs),
      })
      .catch((error: unknown) => {
        throw outcomeOf(error);
      });
    const found: Record<string, string> = {};
    for (const { serial_no, encrypt_certificate } of certificates.parse(JSON.parse(answer.data)).data)
      found[serial_no] = this.decrypt(encrypt_certificate);
    const signature = signatureOf(answer.headers);
    const pem = found[signature?.serial ?? ''];
    const key = pem === undefined ? this.keys.inForce()[signature?.serial ?? ''] : createPublicKey(pem);
    if (!signature || !key || !isTimely(signature) || !isSignedBy(key, signature, Buffer.from(answer.data)))
      throw new ProviderUnavailable('the list of certificates is not signed as it should be');
    return found;
  }

  /** Throws when it was not encrypted with the APIv3 key. */
  decrypt({ ciphertext, nonce, associated_data }: z.output<typeof encrypted>): string {
    return Aes.AesGcm.decrypt(ciphertext, this.config.apiV3Key, nonce, associated_data);
  }
}

/** What has become of a request that brought no answer. Says nothing of the request, whose headers hold a signature. */
function outcomeOf(error: unknown): Error {
  if (error instanceof ProviderUnavailable) return error;
  const { data } = failure.safeParse(error);
  const { status, data: body } = data?.response ?? { status: 0, data: null };
  const said = fault.safeParse(typeof body === 'string' ? parsed(body) : body).data;
  const what = [status || '', said?.code ?? data?.code ?? '', said?.message.slice(0, MAX_MESSAGE_CHARS) ?? '']
    .filter(Boolean)
    .join(' ');
  const isNo = status >= 400 && status < 500 && status !== 429 && said && !TROUBLE.has(said.code);
  if (isNo) return new WechatRefusal(status, said.code, `WeChat Pay refused: ${what}`);
  return new ProviderUnavailable(`WeChat Pay gave no answer that counts: ${what || 'an unknown error'}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
