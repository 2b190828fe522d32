import { type IncomingMessage } from 'node:http';
import { type NextFunction, type Request, type Response } from 'express';

const JSON_TYPE = /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i;

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** A body that is not JSON would reach the handlers as no body at all: say 415 instead. */
export function requireJsonBody(request: Request, _response: Response, next: NextFunction): void {
  if (!hasBody(request) || JSON_TYPE.test(request.headers['content-type'] ?? '')) return next();
  next(Object.assign(new Error('unsupported media type'), { status: 415, type: 'media.unsupported' }));
}
