import { type ServiceOptions } from '@inference/http';
import { type ApiDescription, ErrorResponse, serveDocument } from '@inference/openapi';

export const API_DESCRIPTION: ApiDescription = {
  title: 'Router cost API',
  limitsRefusals: true,
  description:
    'What the usage of models cost, in USD. Amounts are JSON numbers with all digits of the ledger; times are RFC 3339 in UTC.',
  errorBody: ErrorResponse,
  defaultKinds: ['session_cookie', 'api_key', 'on_behalf'],
  hasStaff: true,
  tags: { Cost: 'Cost of the usage of models.', Health: 'Probe of load balancers.' },
};

/** No route takes a body, so bodies are not read. */
export const SERVICE_OPTIONS: ServiceOptions = {
  name: 'router-cost',
  documentApi: serveDocument(API_DESCRIPTION),
};
