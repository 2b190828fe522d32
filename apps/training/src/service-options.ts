import { ENVELOPE_ERRORS } from '@inference/envelope';
import { type ServiceOptions } from '@inference/http';

const BODY_LIMIT_BYTES = 16_384;

export const SERVICE_OPTIONS: ServiceOptions = {
  name: 'training',
  bodyLimitBytes: BODY_LIMIT_BYTES,
  ...ENVELOPE_ERRORS,
};
