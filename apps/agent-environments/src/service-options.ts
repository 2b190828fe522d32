import { type ServiceOptions } from '@inference/http';
import { type ApiDescription, ErrorResponse, serveDocument } from '@inference/openapi';

export const API_DESCRIPTION: ApiDescription = {
  title: 'Agent environments API',
  description: 'Environments in which agents work. They are not implemented: every operation answers 501.',
  errorBody: ErrorResponse,
  defaultKinds: [],
  schemes: {
    environments_key: {
      type: 'http',
      scheme: 'bearer',
      description: 'The API key that the server is configured with. Without one the operations are open.',
    },
  },
  hasNoDatabase: true,
  readsNoBodies: true,
  tags: {
    Environments: 'Environments and their files, which are not implemented.',
    Health: 'Probe of load balancers.',
  },
};

/** Bodies are not read: the answer does not depend on them. */
export const SERVICE_OPTIONS: ServiceOptions = {
  name: 'agent-environments',
  documentApi: serveDocument(API_DESCRIPTION),
};
