import { type ServiceOptions } from '@inference/http';
import { serveDocument } from '@inference/openapi';
import { API_DESCRIPTION } from './api-description';

/** Bodies are not read: the answer does not depend on them. */
export const SERVICE_OPTIONS: ServiceOptions = {
  name: 'agent-environments',
  documentApi: serveDocument(API_DESCRIPTION),
};
