import { type ServiceOptions } from '@inference/http';
import { serveDocument } from '@inference/openapi';
import { API_DESCRIPTION } from './api-description';

export const SERVICE_OPTIONS: ServiceOptions = {
  name: 'console',
  /** Fits a price list of the largest allowed size. */
  bodyLimitBytes: 1_048_576,
  refuseInexactNumbers: true,
  documentApi: serveDocument(API_DESCRIPTION),
};
