import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { type S3Config } from '../config.catalogue';

/** How long a server may take to be reached, and to say or take anything. */
export interface S3Timeouts {
  connectMillis: number;
  idleMillis: number;
  /** The same for putting the parts of a large object together, which takes some servers minutes. */
  joiningMillis: number;
}

export const S3_TIMEOUTS: S3Timeouts = { connectMillis: 3_000, idleMillis: 15_000, joiningMillis: 300_000 };
const ATTEMPTS = 4;
const FIRST_DELAY_MILLIS = 200;
const nothing = () => undefined;
const SILENT = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

interface Attempt {
  getRetryCount(): number;
  getRetryDelay(): number;
}

const attempt = (retries: number, delayMillis: number): Attempt => ({
  getRetryCount: () => retries,
  getRetryDelay: () => delayMillis,
});

/** A connection that broke is called a timeout too, but says what broke it. */
function isTimeout(error: (Error & { code?: string }) | undefined): boolean {
  return error?.name === 'TimeoutError' && (error.code === undefined || error.code === 'ETIMEDOUT');
}

/** What a server refuses for the moment is asked again soon; where nobody answers, waiting once is enough. */
const RETRIES: NonNullable<S3ClientConfig['retryStrategy']> = {
  acquireInitialRetryToken: () => Promise.resolve(attempt(0, 0)),
  refreshRetryTokenForRetry: (last, { error, errorType }) => {
    const retries = last.getRetryCount() + 1;
    if (errorType === 'CLIENT_ERROR' || isTimeout(error) || retries >= ATTEMPTS)
      return Promise.reject(error ?? new Error('The storage refuses.'));
    const delayMillis = FIRST_DELAY_MILLIS * 2 ** (retries - 1) * (0.5 + Math.random() / 2);
    return Promise.resolve(attempt(retries, delayMillis));
  },
  recordSuccess: nothing,
};

/** @param endpoint of the server, Amazon's own when undefined */
export function createS3Client(
  config: S3Config,
  endpoint: string | undefined,
  timeouts: S3Timeouts,
): S3Client {
  return new S3Client({
    region: config.region,
    forcePathStyle: config.forcePathStyle,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(config.credentials === undefined ? {} : { credentials: config.credentials }),
    // Other servers than Amazon's know none of the checksums that it takes.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: ATTEMPTS,
    retryStrategy: RETRIES,
    requestHandler: {
      connectionTimeout: timeouts.connectMillis,
      socketTimeout: timeouts.idleMillis,
      httpAgent: { keepAlive: true },
      httpsAgent: { keepAlive: true },
      logger: SILENT,
    },
    logger: SILENT,
  });
}
