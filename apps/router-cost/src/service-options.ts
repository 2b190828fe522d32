import { type ServiceOptions } from '@inference/http';
import { serveDocument } from '@inference/openapi';
import { API_DESCRIPTION } from './api-description';

/** No route takes a body, so bodies are not read. */
export const SERVICE_OPTIONS: ServiceOptions = {
  name: 'router-cost',
  documentApi: serveDocument(API_DESCRIPTION),
};
