import { z } from 'zod';
import { businessError, invalidArguments } from './alipay-error';

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
