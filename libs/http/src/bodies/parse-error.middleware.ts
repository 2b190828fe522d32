import { type NextFunction, type Request, type Response } from 'express';

/** Replaces a SyntaxError of the body parser, whose message quotes the body. */
export function hideBodyInParseErrors(
  error: unknown,
  _request: Request,
  _response: Response,
  next: NextFunction,
): void {
  const unreadable = { status: 400, type: 'entity.parse.failed' };
  next(error instanceof SyntaxError ? Object.assign(new Error('unreadable body'), unreadable) : error);
}
