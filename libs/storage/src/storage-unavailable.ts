import { ServiceUnavailableException } from '@nestjs/common';

/** Becomes a 503 response. The cause is only logged. */
export class StorageUnavailableError extends ServiceUnavailableException {
  constructor(cause: unknown) {
    super('storage unavailable', { cause });
  }
}
