import { type IncomingMessage } from 'node:http';
import { type NextFunction, type Request, type Response } from 'express';

const JSON_TYPE = /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i;

/** Whether a request announces a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Answers 415 to a body that is not JSON; the body parser would skip it, and handlers would see no body. */
export function requireJsonMediaType(request: Request, _response: Response, next: NextFunction): void {
  if (!hasBody(request) || JSON_TYPE.test(request.headers['content-type'] ?? '')) return next();
  next(Object.assign(new Error('unsupported media type'), { status: 415, type: 'media.unsupported' }));
}
