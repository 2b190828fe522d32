import { type ServiceOptions } from '@inference/http';

/** Payment providers sign the raw bytes of these bodies. */
export const WEBHOOK_PATH = '/api/billing/webhooks/';

/** Uploads of model packages, which are streamed. */
const UPLOAD_PATHS = /^\/api\/admin\/models\/.+\/packages\/[^/]+\/?$/i;

export const SERVICE_OPTIONS: ServiceOptions = {
  name: 'console',
  /** Fits a price list of the largest allowed size. */
  bodyLimitBytes: 1_048_576,
  /** The webhook routes are public. Notifications of the providers have a few kilobytes. */
  rawBodies: { under: WEBHOOK_PATH, limitBytes: 65_536 },
  streamedBodies: UPLOAD_PATHS,
};
