import { ENVELOPE_ERRORS } from '@inference/training-envelope';
import { type ServiceOptions } from '@inference/http';
import { serveDocument } from '@inference/openapi';
import { API_DESCRIPTION } from './api-description';

const BODY_LIMIT_BYTES = 16_384;

export const SERVICE_OPTIONS: ServiceOptions = {
  name: 'training',
  bodyLimitBytes: BODY_LIMIT_BYTES,
  refuseInexactNumbers: true,
  documentApi: serveDocument(API_DESCRIPTION),
  ...ENVELOPE_ERRORS,
};
