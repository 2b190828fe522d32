import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { describeError, type ServiceOptions } from '@inference/http';
import { type Request, type Response } from 'express';
import { CodedException } from './coded.exception';
import { errorEnvelope } from './envelope';

/** Renders every error in the envelope, under its real HTTP status; a 500 never shows its cause, which goes to the log. */
@Catch()
class EnvelopeFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const { status, message, headers } = describeError(error, request);
    if (status >= 500 && status !== 501) request.log.error(error);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const code = error instanceof CodedException ? error.code : undefined;
    response
      .status(status)
      .set(headers ?? {})
      .json(errorEnvelope(status, message, code));
  }
}

/** By these options the errors of a service come in the envelope, those too of requests that reach no filter. */
export const ENVELOPE_ERRORS: Pick<ServiceOptions, 'errorFilter' | 'parserErrorBody'> = {
  errorFilter: new EnvelopeFilter(),
  parserErrorBody: (status, message) => errorEnvelope(status, message),
};
