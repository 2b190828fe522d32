import { type z } from 'zod';

/** An error response in WeChat Pay's format. */
export class WechatError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** The invalid parameter. */
    readonly detail?: Record<string, string>,
  ) {
    super(message);
  }

  get body(): string {
    return JSON.stringify({ code: this.code, message: this.message, detail: this.detail });
  }
}

const BY_STATUS: Record<number, [code: string, message: string]> = {
  400: ['PARAM_ERROR', '参数错误'],
  401: ['SIGN_ERROR', '签名错误'],
  403: ['NO_AUTH', '商户无权限'],
  404: ['RESOURCE_NOT_EXISTS', '查询的资源不存在'],
  429: ['FREQUENCY_LIMITED', '频率超限'],
};
const SYSTEM_ERROR: [string, string] = ['SYSTEM_ERROR', '系统异常，请稍后重试'];
const INVALID_REQUEST: [string, string] = ['INVALID_REQUEST', '无效请求'];

/** WeChat Pay's general error for an injected error status. */
export function errorOfStatus(status: number): WechatError {
  const [code, message] = BY_STATUS[status] ?? (status >= 500 ? SYSTEM_ERROR : INVALID_REQUEST);
  return new WechatError(status, code, message);
}

/** The validated body. Throws a WechatError that names the invalid field. */
export function parsed<Shape extends z.ZodType>(shape: Shape, body: Buffer): z.output<Shape> {
  const { success, data, error } = shape.safeParse(jsonOf(body));
  if (success) return data;
  const [issue] = error.issues;
  throw new WechatError(400, 'PARAM_ERROR', '参数错误', {
    location: 'body',
    field: `/${issue!.path.map(String).join('/')}`,
    issue: issue!.message,
  });
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new WechatError(400, 'PARAM_ERROR', '请求体不是合法的JSON');
  }
}
