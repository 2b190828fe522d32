import { type ServiceOptions } from '@inference/http';

/** A price list of the largest allowed size fits in the body limit. */
export const SERVICE_OPTIONS: ServiceOptions = { name: 'console', bodyLimitBytes: 1_048_576 };
