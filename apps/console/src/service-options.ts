import { type ServiceOptions } from '@inference/http';

/** Payment providers sign the bytes that they send here. */
export const WEBHOOK_PATH = '/api/billing/webhooks/';

export const SERVICE_OPTIONS: ServiceOptions = {
  name: 'console',
  /** A price list of the largest allowed size fits. */
  bodyLimitBytes: 1_048_576,
  rawBodies: WEBHOOK_PATH,
};
