/** An error response in Alipay's format. */
export class AlipayError extends Error {
  constructor(
    readonly code: string,
    readonly msg: string,
    readonly subCode: string,
    readonly subMsg: string,
  ) {
    super(subMsg);
  }

  /** The error fields of a response. */
  get fields(): Record<string, string> {
    return { code: this.code, msg: this.msg, sub_code: this.subCode, sub_msg: this.subMsg };
  }
}

/** The state of the trade does not allow the call. */
export const businessError = (subCode: string, subMsg: string) =>
  new AlipayError('40004', 'Business Failed', subCode, subMsg);

/** The request is invalid. */
export const invalidArguments = (subCode: string, subMsg: string) =>
  new AlipayError('40002', 'Invalid Arguments', subCode, subMsg);

const BY_STATUS: Record<number, AlipayError> = {
  401: new AlipayError('40006', 'Insufficient Permissions', 'isv.insufficient-isv-permissions', '权限不足'),
  403: new AlipayError('40006', 'Insufficient Permissions', 'isv.insufficient-isv-permissions', '权限不足'),
  429: new AlipayError('40005', 'Call Limited', 'isv.app-call-limited', '应用调用次数超限'),
  500: new AlipayError('20000', 'Service Currently Unavailable', 'aop.unknow-error', '系统繁忙'),
};
const REFUSED = businessError('ACQ.INVALID_PARAMETER', '参数无效');

/** Alipay's error for an injected error status, sent with HTTP 200. Null: Alipay has none for this status. */
export const errorOfStatus = (status: number): AlipayError | null =>
  BY_STATUS[status] ?? (status < 500 ? REFUSED : null);
