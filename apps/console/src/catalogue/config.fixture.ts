import { ConfigError } from '@inference/config';
import { readConsoleConfig } from '../config';
import { testEnvironment } from '../testing/console.fixture';

const {
  STORAGE_FOLDER: _folder,
  DOWNLOAD_LINK_SECRETS: linkSecret,
  ...withoutStorage
} = testEnvironment('postgres://console@127.0.0.1:1/platform');

/** The secret of the test environment, in which no storage is configured. */
export const LINK_SECRET = linkSecret!;
/** The smallest environment that selects a bucket as the storage. */
export const BUCKET = { S3_BUCKET: 'packages', S3_REGION: 'eu-central-1' };

/** The configuration read from the test environment without a storage, plus the given variables. */
export const readWith = (environment: Record<string, string | undefined>) =>
  readConsoleConfig({ ...withoutStorage, ...environment });

/** The faults of that configuration; none if it is valid. */
export function faultsWith(environment: Record<string, string | undefined>): string[] {
  try {
    readWith(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}
