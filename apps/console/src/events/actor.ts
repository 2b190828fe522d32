import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import { type Origin, originOf } from './request-origin';

/** Who does something, and from where. */
export interface Actor {
  accountId: string;
  origin: Origin;
}

/** The signed-in caller of a route, as its security events name it. */
export const CurrentActor = createParamDecorator((_data: unknown, context: ExecutionContext): Actor => {
  const request = context.switchToHttp().getRequest<Request>();
  if (!request.caller) throw new Error('A route without a credential asked for its caller.');
  return { accountId: request.caller.accountId, origin: originOf(request) };
});
