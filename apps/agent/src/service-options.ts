import { type ServiceOptions } from '@inference/http';
import { serveDocument } from '@inference/openapi';
import { API_DESCRIPTION } from './api-description';

/** Room for the longest content with every character escaped as `\uXXXX` (1.5 MiB), and for the other fields. */
const BODY_LIMIT_BYTES = 2 * 1024 * 1024;

export const SERVICE_OPTIONS: ServiceOptions = {
  name: 'agent',
  bodyLimitBytes: BODY_LIMIT_BYTES,
  documentApi: serveDocument(API_DESCRIPTION),
};
