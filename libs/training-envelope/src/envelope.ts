import { describeError, HealthController, logFailure, type ServiceOptions } from '@inference/http';
import { stringifyExact } from '@inference/money';
import {
  type ArgumentsHost,
  type CallHandler,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  HttpException,
  Injectable,
  Module,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { type Request, type Response } from 'express';
import { map, type Observable } from 'rxjs';
import { codeOf, type EnvelopeCode, statusOf } from './envelope-codes';

/** The body of every response of the training service (spec: Training-service envelope). */
export interface Envelope {
  /** 0 on success; otherwise one of the codes of envelope-codes.ts. */
  code: number;
  /** `{}` if the handler returns nothing, and for every error. */
  data: object;
  /** Empty on success. */
  message: string;
}

/** Returns the envelope of an error. The default code is that of the status. */
const errorEnvelope = (status: number, message: string, code = codeOf(status)): Envelope => ({
  code,
  data: {},
  message,
});

/** An error with a specific code in the envelope. The code determines its HTTP status. */
export class ApiException extends HttpException {
  constructor(
    readonly code: EnvelopeCode,
    message: string,
  ) {
    super(message, statusOf(code));
  }
}

/** Sends every error in the envelope, with its own HTTP status. The cause of a 500 is logged and not sent. */
@Catch()
class EnvelopeFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const { status, message, headers } = describeError(error, request);
    if (status >= 500 && status !== 501) logFailure(request, error);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const code = error instanceof ApiException ? error.code : undefined;
    response
      .status(status)
      .set(headers ?? {})
      .json(errorEnvelope(status, message, code));
  }
}

/** Service options that put every error in the envelope, including errors of requests that reach no filter. */
export const ENVELOPE_ERRORS: Pick<ServiceOptions, 'errorFilter' | 'parserErrorBody'> = {
  errorFilter: new EnvelopeFilter(),
  parserErrorBody: (status, message) => errorEnvelope(status, message),
};

/**
 * Wraps the result of a handler in the envelope, as JSON with exact numbers: amounts have all digits of the ledger. Files are
 * not wrapped.
 */
@Injectable()
class EnvelopeInterceptor implements NestInterceptor {
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

/** Wraps the responses of the importing app in the envelope. Errors need the ServiceOptions `ENVELOPE_ERRORS` as well. */
@Module({ providers: [{ provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor }] })
export class EnvelopeModule {}
