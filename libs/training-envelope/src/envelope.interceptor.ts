import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import { HealthController } from '@inference/http';
import { stringifyExact } from '@inference/money';
import { type Response } from 'express';
import { map, type Observable } from 'rxjs';
import { type Envelope } from './envelope';

/**
 * Wraps the result of a handler in the envelope, as JSON with exact numbers: amounts have all digits of the ledger. Files are
 * not wrapped.
 */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    // Its responses have the same form in every service.
    if (context.getClass() === HealthController) return next.handle();
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
