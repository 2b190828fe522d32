import { Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { AlipayRequestError, AlipaySdk, type AlipaySdkConfig } from 'alipay-sdk';
import { ProviderRefusedError, ProviderUnavailableError } from '../payment-provider';
import { type AlipayConfig } from '../payment-providers.config';

const SUCCESS = '10000';
/** A business error; the sub-code gives the reason. */
const BUSINESS_ERROR = '40004';
/** Missing or invalid parameters (a wrong signature included), missing permission, invalid token. */
const REFUSAL_CODES = ['20001', '40001', '40002', '40003', '40006'];
/** Business errors that say nothing about the trade, such as ACQ.SYSTEM_ERROR. */
const SYSTEM_ERROR_SUB_CODE = /(SYSTEM_ERROR|SYSTEM_BUSY|unknow-error)$/i;
const SAFE_CODE = /^[\w.-]{1,64}$/;

/** A verified response: its fields, or the sub-code of the business error. */
export type AlipayAnswer =
  | { ok: true; fields: Readonly<Record<string, unknown>> }
  | { ok: false; subCode: string };

export interface AlipayCall {
  method: string;
  /** The trade of the call; a response about another trade is refused. */
  paymentId: string;
  content: Record<string, string>;
  notifyUrl?: string;
}

/** A code that is safe to log, whatever its origin; `?` otherwise. */
const safeCode = (value: unknown): string =>
  typeof value === 'string' && SAFE_CODE.test(value) ? value : '?';

/** Code and sub-code of an unverified response, for the log. */
function describeUnverified(answer: string, responseKey: string): string {
  const parsed = JSON.parse(answer) as Record<string, Record<string, unknown> | undefined>;
  const fields = parsed[responseKey] ?? parsed['error_response'];
  return `${safeCode(fields?.['code'])} ${safeCode(fields?.['sub_code'])}`;
}

/**
 * The HTTP client of the SDK (urllib) gives all sockets of the process a `destroy` that throws if an error destroys a second
 * socket, as `pipeline` does with both ends of a proxied answer. Without it, sockets inherit the stream's own again.
 */
function restoreSocketDestroy(): void {
  delete (Socket.prototype as Partial<Socket>).destroy;
}

/**
 * The SDK verifies a part that it finds in the response's text, but reads the fields from the parsed JSON. A response with
 * a second part of the same name, escaped differently, would yield unsigned fields, so both are compared here.
 */
function createStrictSdk(config: AlipaySdkConfig): AlipaySdk {
  const sdk = new AlipaySdk(config);
  restoreSocketDestroy();
  const checkSignature = sdk.checkResponseSign.bind(sdk);
  sdk.checkResponseSign = (answer, responseKey, sign, traceId) => {
    try {
      checkSignature(answer, responseKey, sign, traceId);
    } catch {
      throw new ProviderUnavailableError(
        `its answer is not signed with Alipay's key (it says ${describeUnverified(answer, responseKey)})`,
      );
    }
    const fields = (JSON.parse(answer) as Record<string, unknown>)[responseKey];
    if (!isDeepStrictEqual(JSON.parse(sdk.getSignStr(answer, responseKey)), fields))
      throw new ProviderUnavailableError('its answer contains fields that are not signed');
  };
  return sdk;
}

/** Calls Alipay's gateway through its SDK. Returns verified responses only. */
export class AlipayClient {
  private readonly sdk: AlipaySdk;

  constructor(
    { appId, appKey, alipayPublicKey, gatewayUrl }: AlipayConfig,
    private readonly callLimitMs: number,
  ) {
    this.sdk = createStrictSdk({
      appId,
      // The SDK takes the last line for the end of the key, even if it is empty.
      privateKey: appKey.trim(),
      keyType: 'PKCS8',
      alipayPublicKey: alipayPublicKey.trim(),
      gateway: gatewayUrl,
      signType: 'RSA2',
      timeout: callLimitMs,
      camelcase: false,
    });
  }

  /** Throws a ProviderUnavailableError, or a ProviderRefusedError if Alipay rejects the request itself. */
  async call({ method, paymentId, content, notifyUrl }: AlipayCall): Promise<AlipayAnswer> {
    const parameters = { bizContent: content, ...(notifyUrl !== undefined && { notifyUrl }) };
    const fields = await this.withTimeLimit(
      method,
      this.sdk.exec(method, parameters, { validateSign: true }),
    );
    const subCode = safeCode(fields.sub_code);
    if (fields.code === SUCCESS) {
      if (fields['out_trade_no'] !== undefined && fields['out_trade_no'] !== paymentId)
        throw new ProviderUnavailableError(`${method}: the answer is about another trade`);
      return { ok: true, fields };
    }
    if (fields.code === BUSINESS_ERROR && !SYSTEM_ERROR_SUB_CODE.test(subCode)) return { ok: false, subCode };
    const message = `${method}: ${safeCode(fields.code)} ${subCode}`;
    if (REFUSAL_CODES.includes(fields.code)) throw new ProviderRefusedError(message);
    throw new ProviderUnavailableError(message);
  }

  /** Verifies a notification's fields with the algorithm that they name. */
  isSigned(fields: Record<string, string>): boolean {
    return this.sdk.checkNotifySignV2(fields);
  }

  /** Limits the whole call: the SDK's own timeout restarts with every chunk and every retry. */
  private async withTimeLimit<T>(method: string, answer: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('no answer in time')), this.callLimitMs);
    });
    try {
      return await Promise.race([answer, limit]);
    } catch (error) {
      throw new ProviderUnavailableError(`${method}: ${reasonOf(error)}`);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A reason without the SDK's message, which may quote a payer's data. */
function reasonOf(error: unknown): string {
  if (!(error instanceof AlipayRequestError)) return (error as Error).message;
  if (error.responseDataRaw !== undefined) return 'an answer that is not from the gateway';
  const { name, code } = Object(error.cause) as Partial<NodeJS.ErrnoException>;
  return `no answer (${safeCode(code ?? name)})`;
}
