import { z } from 'zod';

const FEN_PER_YUAN = 100;

/** Formats an amount in fen as yuan with two decimals. */
export const yuan = (fen: number): string =>
  `${Math.floor(fen / FEN_PER_YUAN)}.${String(fen % FEN_PER_YUAN).padStart(2, '0')}`;

/** Parses an amount in yuan with at most two decimals. */
export function fen(text: string): number {
  const [whole = '', fraction = ''] = text.split('.');
  return Number(whole) * FEN_PER_YUAN + Number(fraction.padEnd(2, '0'));
}

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

/** A positive amount in yuan with at most two decimals. */
export const amount = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,2})?$/)
  .refine((text) => Number(text) > 0);
export const id = z.string().regex(/^[0-9A-Za-z_]{1,64}$/);

/** At least one of the two is required. trade_no takes precedence. */
export const tradeNames = { out_trade_no: id.optional(), trade_no: id.optional() };

/** The validated biz_content. Throws an AlipayError. */
export function parsed<Shape extends z.ZodType>(shape: Shape, bizContent: string): z.output<Shape> {
  const result = shape.safeParse(jsonOf(bizContent));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw businessError(
    'ACQ.INVALID_PARAMETER',
    `参数无效：${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalidArguments('isv.invalid-parameter', '参数无效：biz_content');
  }
}
