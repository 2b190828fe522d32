import { ServiceUnavailableException } from '@nestjs/common';

/** 503; the cause is for the log only. */
export class StorageUnavailableError extends ServiceUnavailableException {
  constructor(cause: unknown) {
    super('storage unavailable', { cause });
  }
}
