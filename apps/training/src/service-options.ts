import { ENVELOPE_ERRORS } from '@inference/training-envelope';
import { type ServiceOptions } from '@inference/http';

const BODY_LIMIT_BYTES = 16_384;

export const SERVICE_OPTIONS: ServiceOptions = {
  name: 'training',
  bodyLimitBytes: BODY_LIMIT_BYTES,
  ...ENVELOPE_ERRORS,
};
