import { type ServiceOptions } from '@inference/http';
import { serveDocument } from '@inference/openapi';
import { API_DESCRIPTION } from './api-description';

/**
 * Room for the longest query (4,000 characters) with every character written as a JSON escape of up to 12 bytes, and
 * the other fields.
 */
const BODY_LIMIT_BYTES = 131_072;
export const SERVICE_OPTIONS: ServiceOptions = {
  name: 'memo',
  bodyLimitBytes: BODY_LIMIT_BYTES,
  documentApi: serveDocument(API_DESCRIPTION),
};
