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

/**
 * The non-zero codes of the envelope: HTTP status × 100, plus a number that distinguishes errors of the same status. The
 * status is `code / 100`, rounded down. The meaning of a code never changes; new codes may be added.
 *
 *     40000  the request is malformed: an invalid field, path or header, a body that is not JSON, or invalid HTTP
 *     40100  missing, expired or invalid credential
 *     40200  the wallet does not cover the amount
 *     40201  it would, but the money is reserved for running requests: a retry may succeed
 *     40300  the account lacks the permission
 *     40301  the token quota is exceeded
 *     40400  the path or resource does not exist
 *     40401  the account does not exist
 *     40500  the path does not support the method
 *     40800  the request took too long to arrive
 *     40901  the id is in use for different content
 *     41300  the body is too large
 *     41500  the body is not application/json, or in an unknown charset or encoding
 *     43100  the headers are too large
 *     50000  internal error
 *     50300  the database or another required service is unavailable: see Retry-After
 *     50301  no price of training is published
 *     50302  the published price of training has no GPU hour
 *     50303  no exchange rate to USD is stored
 */
export const CODES = {
  walletEmpty: 40200,
  walletSetAside: 40201,
  quotaExceeded: 40301,
  accountUnknown: 40401,
  idReused: 40901,
  tokenPriceMissing: 50301,
  gpuPriceMissing: 50302,
  exchangeRateMissing: 50303,
} as const;
type EnvelopeCode = (typeof CODES)[keyof typeof CODES];

const CODES_PER_STATUS = 100;

/** Returns the code of an error without a specific code. */
export const codeOf = (status: number): number => status * CODES_PER_STATUS;

export const statusOf = (code: EnvelopeCode): number => Math.floor(code / CODES_PER_STATUS);

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
