import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { describeError, logFailure, type ServiceOptions } from '@inference/http';
import { type Request, type Response } from 'express';
import { ApiException } from './api.exception';
import { errorEnvelope } from './envelope';

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
