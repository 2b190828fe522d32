import { Injectable, type NestMiddleware } from '@nestjs/common';
import compression from 'compression';
import { type NextFunction, type Request, type Response } from 'express';

/** Lists and reports. Streams of events and packages are sent as they are. */
const COMPRESSED_TYPES = /^(application\/(.+\+)?json|text\/(csv|html)|application\/xml)\b/;
/**
 * Routes whose answers hold secrets. Beside text of the sender, the length of a compressed answer could tell a secret to whoever
 * sees the traffic (BREACH).
 */
const SECRET_ROUTES = /^\/api\/(auth|api-keys)(\/|\?|$)/i;

const compress = compression({
  filter: (_request, response) => COMPRESSED_TYPES.test(String(response.getHeader('Content-Type') ?? '')),
});

/** Compresses long answers of the API for clients that take them so. */
@Injectable()
export class CompressedAnswersMiddleware implements NestMiddleware {
  use(request: Request, response: Response, next: NextFunction): void {
    if (SECRET_ROUTES.test(request.originalUrl)) return next();
    // Also with a 304, which has no body.
    response.vary('Accept-Encoding');
    compress(request, response, next);
  }
}
