import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';

/** Length of the longest IPv6 address. A proxy can forward any text. */
const MAX_ADDRESS_CHARS = 45;
const MAX_USER_AGENT_CHARS = 300;

/** Where a request came from. Behind a proxy it depends on TRUST_PROXY. */
export interface Origin {
  address: string | null;
  userAgent: string | null;
}

export function originOf(request: Request): Origin {
  return {
    address: request.ip?.slice(0, MAX_ADDRESS_CHARS) ?? null,
    userAgent: request.get('User-Agent')?.slice(0, MAX_USER_AGENT_CHARS) ?? null,
  };
}

export const RequestOrigin = createParamDecorator((_data: unknown, context: ExecutionContext): Origin =>
  originOf(context.switchToHttp().getRequest<Request>()),
);

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
