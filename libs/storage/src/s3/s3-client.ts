import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { type S3Config } from '../storage.config';

/** Limits on waiting for the server. */
export interface S3Timeouts {
  /** Until the connection is established. */
  connectMillis: number;
  /** Without any data in either direction. */
  idleMillis: number;
  /** Like idleMillis, but for CompleteMultipartUpload, which takes minutes on some servers. */
  completionMillis: number;
}

export const S3_TIMEOUTS: S3Timeouts = {
  connectMillis: 3_000,
  idleMillis: 15_000,
  completionMillis: 300_000,
};
/** Attempts of one request, with delays that double: about 1.4 s in total, enough for a throttled or restarting server. */
const MAX_ATTEMPTS = 4;
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

/** The SDK also reports a broken connection as TimeoutError, but then with the code of its cause. */
function isTimeout(error: (Error & { code?: string }) | undefined): boolean {
  return error?.name === 'TimeoutError' && (error.code === undefined || error.code === 'ETIMEDOUT');
}

/** Retries temporary refusals of the server. Timeouts are not retried: waiting once is long enough. */
const RETRIES: NonNullable<S3ClientConfig['retryStrategy']> = {
  acquireInitialRetryToken: () => Promise.resolve(attempt(0, 0)),
  refreshRetryTokenForRetry: (last, { error, errorType }) => {
    const retries = last.getRetryCount() + 1;
    if (errorType === 'CLIENT_ERROR' || isTimeout(error) || retries >= MAX_ATTEMPTS)
      return Promise.reject(error ?? new Error('The storage refuses.'));
    const delayMillis = FIRST_DELAY_MILLIS * 2 ** (retries - 1) * (0.5 + Math.random() / 2);
    return Promise.resolve(attempt(retries, delayMillis));
  },
  recordSuccess: nothing,
};

/** @param endpoint URL of the server; Amazon's own if undefined */
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
    // S3-compatible servers do not support the checksums that the SDK adds by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: MAX_ATTEMPTS,
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
