import { type NextFunction, type Request, type Response } from 'express';

/** Nest would answer a SyntaxError with its own message, which quotes the body. */
export function hideBody(error: unknown, _request: Request, _response: Response, next: NextFunction): void {
  const unreadable = { status: 400, type: 'entity.parse.failed' };
  next(error instanceof SyntaxError ? Object.assign(new Error('unreadable body'), unreadable) : error);
}
