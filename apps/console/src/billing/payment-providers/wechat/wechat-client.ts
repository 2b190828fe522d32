import { createPublicKey, type KeyLike } from 'node:crypto';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Aes, Decorator } from 'wechatpay-axios-plugin';
import { z } from 'zod';
import { ProviderRefusedError, ProviderUnavailableError } from '../payment-provider';
import { type WechatConfig } from '../payment-providers.config';
import { PlatformKeys } from './platform-keys';
import { certificateList, type encryptedResource, errorBody } from './wechat-messages';
import { hasRecentTimestamp, isSignedBy, signatureOf } from './wechat-signature';

const CERTIFICATES = '/v3/certificates';
const MAX_ANSWER_BYTES = 1_000_000;
const MAX_MESSAGE_CHARS = 200;
/** The library's error code for a response signed with a key that it does not have. */
const UNKNOWN_KEY = 'EV3_RES_HEADER_PLATFORM_SERIAL';
/** Errors that come with a 4xx status, but say nothing about the request. */
const INCONCLUSIVE_CODES = new Set([
  'SYSTEM_ERROR',
  'SYSTEMERROR',
  'FREQUENCY_LIMITED',
  'RATELIMIT_EXCEEDED',
]);

export interface WechatRequest {
  method: 'GET' | 'POST';
  path: string;
  query?: Record<string, string>;
  body?: object;
}

export interface WechatLimits {
  /** Of one call with all its requests, not counting the fetching of certificates. */
  timeoutMs: number;
  certificatesTimeoutMs: number;
  /** Least time between two fetches of certificates. */
  certificatesEveryMs: number;
}

/** The error that the library throws: axios' error, with a body that is parsed if it is JSON. */
const failure = z.object({
  code: z.string().optional(),
  response: z
    .object({
      status: z.number(),
      data: z.unknown(),
      // An instance of an axios class, which z.record() refuses.
      headers: z.custom<Record<string, unknown>>(
        (headers) => typeof headers === 'object' && headers !== null,
      ),
    })
    .optional(),
});

/** WeChat Pay refused a request, with its error code. */
export class WechatRefusedError extends ProviderRefusedError {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** WeChat Pay's API v3 through its client library, which signs requests and verifies responses. */
export class WechatClient {
  readonly keys: PlatformKeys;
  /**
   * Without keep-alive: the server may close an idle connection in the moment it is reused, and payments are too few for
   * the extra handshakes to matter.
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

  /** Aborts when the time of a call that starts now is over. */
  deadline(): AbortSignal {
    return AbortSignal.timeout(this.limits.timeoutMs);
  }

  /**
   * Returns the verified body of the response. Throws a WechatRefusedError or a ProviderUnavailableError. The request
   * must be idempotent: it is sent again if the response is signed with a new certificate.
   */
  async call<Shape extends z.ZodType>(
    shape: Shape,
    request: WechatRequest,
    deadline: AbortSignal,
  ): Promise<z.output<Shape>> {
    if (Object.keys(this.keys.validKeys()).length === 0) await this.keys.refresh();
    let answer: unknown;
    try {
      answer = await this.send(request, deadline);
    } catch (error) {
      if (!(await this.hasNewKeyFor(error))) throw providerErrorOf(error);
      answer = await this.send(request, deadline).catch((secondError: unknown) => {
        throw providerErrorOf(secondError);
      });
    }
    const { success, data } = shape.safeParse(answer);
    if (!success) throw new ProviderUnavailableError('WeChat Pay sent an unexpected answer');
    return data;
  }

  private async send({ method, path, query, body }: WechatRequest, signal: AbortSignal): Promise<unknown> {
    const keys = this.keys.validKeys();
    if (Object.keys(keys).length === 0)
      throw new ProviderUnavailableError('no certificate of WeChat Pay is in force');
    const { data } = await this.createLibraryClient(keys).request<unknown>({
      method,
      url: path,
      ...(query ? { params: query } : {}),
      ...(body ? { data: body } : {}),
      signal,
    });
    return data;
  }

  /** Created for each request, since a library client never changes the keys it was created with. */
  private createLibraryClient(certs: Record<string, KeyLike>): Decorator['v3'] {
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

  /**
   * The response may be signed with one of the certificates in it: they are encrypted with the APIv3 key, which proves
   * their origin.
   */
  private async fetchCertificates(): Promise<Record<string, string>> {
    const answer = await this.createLibraryClient(this.config.platformKeys)
      .request<string>({
        url: CERTIFICATES,
        // Keeps the raw text: the library cannot verify a response with keys from that response.
        transformResponse: (body: string) => body,
        signal: AbortSignal.timeout(this.limits.certificatesTimeoutMs),
      })
      .catch((error: unknown) => {
        throw providerErrorOf(error);
      });
    const found: Record<string, string> = {};
    for (const { serial_no, encrypt_certificate } of certificateList.parse(JSON.parse(answer.data)).data)
      found[serial_no] = this.decrypt(encrypt_certificate);
    const signature = signatureOf(answer.headers);
    const pem = found[signature?.serial ?? ''];
    const key = pem === undefined ? this.keys.validKeys()[signature?.serial ?? ''] : createPublicKey(pem);
    if (
      !signature ||
      !key ||
      !hasRecentTimestamp(signature) ||
      !isSignedBy(key, signature, Buffer.from(answer.data))
    )
      throw new ProviderUnavailableError('the signature of the certificate list is not valid');
    return found;
  }

  /** Throws if the text was not encrypted with the APIv3 key. */
  decrypt({ ciphertext, nonce, associated_data }: z.output<typeof encryptedResource>): string {
    return Aes.AesGcm.decrypt(ciphertext, this.config.apiV3Key, nonce, associated_data);
  }
}

/** Maps an error of the library. The message holds nothing of the request, whose headers contain a signature. */
function providerErrorOf(error: unknown): Error {
  if (error instanceof ProviderUnavailableError) return error;
  const { data } = failure.safeParse(error);
  const { status, data: body } = data?.response ?? { status: 0, data: null };
  const refusal = errorBody.safeParse(typeof body === 'string' ? parseJson(body) : body).data;
  const details = [
    status || '',
    refusal?.code ?? data?.code ?? '',
    refusal?.message.slice(0, MAX_MESSAGE_CHARS) ?? '',
  ]
    .filter(Boolean)
    .join(' ');
  const isRefused =
    status >= 400 && status < 500 && status !== 429 && refusal && !INCONCLUSIVE_CODES.has(refusal.code);
  if (isRefused) return new WechatRefusedError(status, refusal.code, `WeChat Pay refused: ${details}`);
  return new ProviderUnavailableError(`WeChat Pay sent no valid answer: ${details || 'an unknown error'}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
