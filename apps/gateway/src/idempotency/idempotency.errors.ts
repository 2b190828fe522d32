import { picosToDecimal } from '@inference/money';
import { GatewayError } from '../errors/openai-error';

const HEADER = 'Idempotency-Key';

/** Another body was sent with the key before. */
export class IdempotencyKeyReusedError extends GatewayError {
  constructor() {
    super('idempotency_key_reused', `${HEADER}: was used for another request in the last day`, HEADER);
  }
}

/** Another process works on the call. */
export class IdempotencyKeyInUseError extends GatewayError {
  constructor() {
    super('idempotency_key_in_use', `${HEADER}: its call is running. Try again when it has ended.`, HEADER);
  }
}

/** The call was charged, and no process has its answer any more. */
export class AlreadyChargedError extends GatewayError {
  constructor(requestId: string, costPicos: bigint) {
    const cost = picosToDecimal(costPicos);
    super(
      'already_charged',
      `${HEADER}: its call ${requestId} was charged ${cost}, and its answer is not kept any longer. Another key makes a new call.`,
      HEADER,
      { request_id: requestId, cost },
    );
  }
}
