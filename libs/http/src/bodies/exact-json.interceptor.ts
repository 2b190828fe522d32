import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import { stringifyExact } from '@inference/money';
import { type Response } from 'express';
import { map, type Observable } from 'rxjs';

/** Writes JSON bodies with exact numbers: amounts reach the client with all digits of the ledger. */
@Injectable()
export class ExactJsonInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      map((body: unknown) => {
        if (body === null || typeof body !== 'object' || body instanceof StreamableFile) return body;
        context.switchToHttp().getResponse<Response>().type('application/json');
        return stringifyExact(body);
      }),
    );
  }
}
