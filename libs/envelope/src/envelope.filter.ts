import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { describeError } from '@inference/http';
import { type Request, type Response } from 'express';
import { CodedException } from './coded.exception';
import { type Envelope } from './envelope';
import { codeOf } from './envelope-codes';

/** Renders every error in the envelope, under its real HTTP status; a 500 never shows its cause, which goes to the log. */
@Catch()
export class EnvelopeFilter implements ExceptionFilter {
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
    const code = error instanceof CodedException ? error.code : codeOf(status);
    const body: Envelope = { code, data: {}, message };
    response
      .status(status)
      .set(headers ?? {})
      .json(body);
  }
}
