import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import { type Origin, originOf } from './request-origin';

/** The signed-in account that acts, and where its request came from. */
export interface Actor {
  accountId: string;
  sessionId: string;
  origin: Origin;
}

/** The caller of a route that requires a session. */
export const CurrentActor = createParamDecorator((_data: unknown, context: ExecutionContext): Actor => {
  const request = context.switchToHttp().getRequest<Request>();
  if (!request.caller) throw new Error('CurrentActor is used on a route without a credential.');
  const { accountId, sessionId } = request.caller;
  if (sessionId === undefined) throw new Error('CurrentActor is used on a route that accepts no sessions.');
  return { accountId, sessionId, origin: originOf(request) };
});
