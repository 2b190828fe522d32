import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import { HealthController, MetricsController } from '@inference/http';
import { stringifyExact } from '@inference/money';
import { type Response } from 'express';
import { map, type Observable } from 'rxjs';
import { type Envelope } from './envelope';

/** What every service answers in one way, whatever shape its other answers have. */
const PLAIN: unknown[] = [HealthController, MetricsController];

/**
 * Puts what a handler returns into the envelope, as JSON with exact numbers: an amount's digits reach the client as the
 * ledger has them. A file is left as it is.
 */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (PLAIN.includes(context.getClass())) return next.handle();
    return next.handle().pipe(
      map((data: object | null | undefined) => {
        if (data instanceof StreamableFile) return data;
        const body: Envelope = { code: 0, data: data ?? {}, message: '' };
        context.switchToHttp().getResponse<Response>().type('application/json');
        return stringifyExact(body);
      }),
    );
  }
}
