import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';

declare module 'express' {
  interface Request {
    /** Which of the platform's own services calls, for nobody but itself. */
    service?: string;
  }
}

/** The name of the service that calls a route with `@Accepts('service')`. */
export const CurrentService = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const { service } = context.switchToHttp().getRequest<Request>();
  if (service === undefined) throw new Error('A route that no service called asked for the service.');
  return service;
});
