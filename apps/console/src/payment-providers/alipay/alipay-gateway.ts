import { isDeepStrictEqual } from 'node:util';
import { AlipayRequestError, AlipaySdk, type AlipaySdkConfig } from 'alipay-sdk';
import { type AlipayConfig } from '../../config.payments';
import { ProviderRefusal, ProviderUnavailable } from '../payment-provider';

const SUCCESS = '10000';
/** The trade does not allow it; the sub-code says why. */
const BUSINESS_ERROR = '40004';
/** Missing and invalid parameters (a wrong signature among them), no permission, a token that is not valid. */
const REFUSALS = ['20001', '40001', '40002', '40003', '40006'];
/** Business errors that say nothing of the trade, such as ACQ.SYSTEM_ERROR. */
const ALIPAYS_OWN_ERROR = /(SYSTEM_ERROR|SYSTEM_BUSY|unknow-error)$/i;
const CODE = /^[\w.-]{1,64}$/;

/** What Alipay has signed: the fields of its answer, or why it did not do it. */
export type AlipayAnswer =
  { ok: true; fields: Readonly<Record<string, unknown>> } | { ok: false; subCode: string };

export interface AlipayCall {
  method: string;
  /** The trade that it is about; another one's answer is none. */
  paymentId: string;
  content: Record<string, string>;
  notifyUrl?: string;
}

/** For the log, whoever wrote it. */
const codeOf = (value: unknown): string => (typeof value === 'string' && CODE.test(value) ? value : '?');

/** What the answer calls itself, without proof. */
function claimOf(answer: string, responseKey: string): string {
  const parsed = JSON.parse(answer) as Record<string, Record<string, unknown> | undefined>;
  const fields = parsed[responseKey] ?? parsed['error_response'];
  return `${codeOf(fields?.['code'])} ${codeOf(fields?.['sub_code'])}`;
}

/**
 * The SDK looks for the signed part in the text, and takes its facts from the parsed JSON. An answer with a second part of
 * the same name, differently escaped, would give facts that nobody signed.
 */
function strictSdk(config: AlipaySdkConfig): AlipaySdk {
  const sdk = new AlipaySdk(config);
  const checkSignature = sdk.checkResponseSign.bind(sdk);
  sdk.checkResponseSign = (answer, responseKey, sign, traceId) => {
    try {
      checkSignature(answer, responseKey, sign, traceId);
    } catch {
      throw new ProviderUnavailable(
        `its answer is not signed with Alipay's key (it says ${claimOf(answer, responseKey)})`,
      );
    }
    const facts = (JSON.parse(answer) as Record<string, unknown>)[responseKey];
    if (!isDeepStrictEqual(JSON.parse(sdk.getSignStr(answer, responseKey)), facts))
      throw new ProviderUnavailable('its answer says more than is signed');
  };
  return sdk;
}

/** Calls of Alipay's gateway through its SDK; only what Alipay has signed comes back. */
export class AlipayGateway {
  private readonly sdk: AlipaySdk;

  constructor(
    { appId, appKey, alipayPublicKey, gatewayUrl }: AlipayConfig,
    private readonly callLimitMs: number,
  ) {
    this.sdk = strictSdk({
      appId,
      // The SDK knows the end of a key by its last line, be it empty.
      privateKey: appKey.trim(),
      keyType: 'PKCS8',
      alipayPublicKey: alipayPublicKey.trim(),
      gateway: gatewayUrl,
      signType: 'RSA2',
      timeout: callLimitMs,
      camelcase: false,
    });
  }

  /** Throws a ProviderUnavailable, or a ProviderRefusal when Alipay does not take the request as such. */
  async call({ method, paymentId, content, notifyUrl }: AlipayCall): Promise<AlipayAnswer> {
    const parameters = { bizContent: content, ...(notifyUrl !== undefined && { notifyUrl }) };
    const fields = await this.inTime(method, this.sdk.exec(method, parameters, { validateSign: true }));
    const subCode = codeOf(fields.sub_code);
    if (fields.code === SUCCESS) {
      if (fields['out_trade_no'] !== undefined && fields['out_trade_no'] !== paymentId)
        throw new ProviderUnavailable(`${method}: the answer is about another trade`);
      return { ok: true, fields };
    }
    if (fields.code === BUSINESS_ERROR && !ALIPAYS_OWN_ERROR.test(subCode)) return { ok: false, subCode };
    const message = `${method}: ${codeOf(fields.code)} ${subCode}`;
    if (REFUSALS.includes(fields.code)) throw new ProviderRefusal(message);
    throw new ProviderUnavailable(message);
  }

  /** Whether Alipay has signed a notification with these fields, by what they say of how they are signed. */
  isSigned(fields: Record<string, string>): boolean {
    return this.sdk.checkNotifySignV2(fields);
  }

  /** The SDK's own limit is one between two pieces of an answer, and begins again when it tries again. */
  private async inTime<T>(method: string, answer: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('no answer in time')), this.callLimitMs);
    });
    try {
      return await Promise.race([answer, limit]);
    } catch (error) {
      throw new ProviderUnavailable(`${method}: ${reasonOf(error)}`);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Without what the SDK writes into its messages of the answer, which may be about a payer. */
function reasonOf(error: unknown): string {
  if (!(error instanceof AlipayRequestError)) return (error as Error).message;
  if (error.responseDataRaw !== undefined) return 'an answer that is none of the gateway';
  const { name, code } = Object(error.cause) as Partial<NodeJS.ErrnoException>;
  return `no answer (${codeOf(code ?? name)})`;
}
