import { type ExecutionContext, SetMetadata } from '@nestjs/common';

/**
 * How a handler gets the body: parsed JSON, the bytes of what should be JSON, the bytes of any content, or the unread stream of the
 * request. Whoever parses bytes does so with `readJsonInSlices`, within its limits and while `requireConnected` passes.
 */
export type BodyForm = 'json' | 'unparsed-json' | 'bytes' | 'stream';

export interface BodyRule {
  form: BodyForm;
  /** Largest body in bytes; the limit of the service if absent. */
  limitBytes?: number;
}

const BODY_RULE = 'body rule';

/** Without this decorator a handler gets parsed JSON. A handler with `stream` reads the request itself and limits its size. */
export const BodyAs = (form: BodyForm, limitBytes?: number) =>
  SetMetadata(BODY_RULE, { form, ...(limitBytes !== undefined && { limitBytes }) } satisfies BodyRule);

/** The rule of a handler or of its controller. */
export function bodyRuleOf(context: Pick<ExecutionContext, 'getHandler' | 'getClass'>): BodyRule {
  const rule = (target: object) => Reflect.getMetadata(BODY_RULE, target) as BodyRule | undefined;
  return rule(context.getHandler()) ?? rule(context.getClass()) ?? { form: 'json' };
}
