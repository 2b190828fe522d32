import { type z } from 'zod';
import { WechatError } from './wechat-error';

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
