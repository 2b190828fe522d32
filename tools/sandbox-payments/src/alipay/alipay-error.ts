/** A refusal in Alipay's own words. */
export class AlipayError extends Error {
  constructor(
    readonly code: string,
    readonly msg: string,
    readonly subCode: string,
    readonly subMsg: string,
  ) {
    super(subMsg);
  }

  /** As an answer tells it. */
  get fields(): Record<string, string> {
    return { code: this.code, msg: this.msg, sub_code: this.subCode, sub_msg: this.subMsg };
  }
}

/** The trade does not allow it. */
export const businessError = (subCode: string, subMsg: string) =>
  new AlipayError('40004', 'Business Failed', subCode, subMsg);

/** The request is not as it must be. */
export const invalidArguments = (subCode: string, subMsg: string) =>
  new AlipayError('40002', 'Invalid Arguments', subCode, subMsg);

const BY_STATUS: Record<number, AlipayError> = {
  401: new AlipayError('40006', 'Insufficient Permissions', 'isv.insufficient-isv-permissions', '权限不足'),
  403: new AlipayError('40006', 'Insufficient Permissions', 'isv.insufficient-isv-permissions', '权限不足'),
  429: new AlipayError('40005', 'Call Limited', 'isv.app-call-limited', '应用调用次数超限'),
  500: new AlipayError('20000', 'Service Currently Unavailable', 'aop.unknow-error', '系统繁忙'),
};
const REFUSED = businessError('ACQ.INVALID_PARAMETER', '参数无效');

/** What Alipay says in an answer of 200 where others would answer with such a status; null of a failure before it. */
export const errorOfStatus = (status: number): AlipayError | null =>
  BY_STATUS[status] ?? (status < 500 ? REFUSED : null);
