import { type ServiceOptions } from '@inference/http';

/** Payment providers sign the bytes that they send here. */
export const WEBHOOK_PATH = '/api/billing/webhooks/';

/** Packages of models come here, of any size. */
const UPLOAD_PATHS = /^\/api\/admin\/models\/.+\/packages\/[^/]+\/?$/i;

export const SERVICE_OPTIONS: ServiceOptions = {
  name: 'console',
  /** A price list of the largest allowed size fits. */
  bodyLimitBytes: 1_048_576,
  /** Anybody may send there; what providers send is a few kilobytes. */
  rawBodies: { under: WEBHOOK_PATH, limitBytes: 65_536 },
  streamedBodies: UPLOAD_PATHS,
};
