import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import { type Origin, originOf } from './request-origin';

/** Who does something, and from where. */
export interface Actor {
  accountId: string;
  /** The session in which it is done. */
  sessionId: string;
  origin: Origin;
}

/** The signed-in caller of a route, as its security events name it. */
export const CurrentActor = createParamDecorator((_data: unknown, context: ExecutionContext): Actor => {
  const request = context.switchToHttp().getRequest<Request>();
  if (!request.caller) throw new Error('A route without a credential asked for its caller.');
  const { accountId, sessionId } = request.caller;
  if (sessionId === undefined) throw new Error('A route that takes no sessions asked for one.');
  return { accountId, sessionId, origin: originOf(request) };
});
