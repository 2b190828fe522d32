import { type HttpException } from '@nestjs/common';
import { DetailedException } from '@inference/http';
import { type Refusal } from '@inference/model-calls';

const RETRY_AFTER_SECONDS = '1';
/** The schemes that the service accepts. */
const SCHEMES = 'Bearer, ApiKey';

/** The answer to a request whose call of the model was refused. */
export function refusalError(refusal: Refusal, turnId: string): HttpException {
  const { status, message, code } = refusal;
  return new DetailedException(status, message, { code, turn_id: turnId }, headersOf(refusal));
}

/** Every 429 has `Retry-After`, and every 401 `WWW-Authenticate`, whatever the gateway said. */
function headersOf({ status, retryAfter }: Refusal): Record<string, string> {
  const pause = retryAfter ?? (status === 429 ? RETRY_AFTER_SECONDS : undefined);
  return {
    ...(pause !== undefined && { 'Retry-After': pause }),
    ...(status === 401 && { 'WWW-Authenticate': SCHEMES }),
  };
}
