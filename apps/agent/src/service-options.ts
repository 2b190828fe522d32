import { type ServiceOptions } from '@inference/http';
import { type ApiDescription, ErrorResponse, serveDocument } from '@inference/openapi';

export const API_DESCRIPTION: ApiDescription = {
  title: 'Agent API',
  limitsRefusals: true,
  description:
    'Conversations with a model that the platform stores, with tools and with streams that can be resumed. One question with the answer to it is a turn; a session runs one turn at a time. The model is called through the gateway at the expense of the caller’s account, with the entrypoint `agent`.',
  errorBody: ErrorResponse,
  defaultKinds: ['api_key', 'api_key_scheme', 'on_behalf'],
  tags: {
    Sessions: 'Conversations with their model, system prompt and tools.',
    Events: 'Messages, tool calls and their results, and the streams of turns.',
    Health: 'Probe of load balancers.',
  },
};

/** Room for the longest content with every character escaped as `\uXXXX` (1.5 MiB), and for the other fields. */
const BODY_LIMIT_BYTES = 2 * 1024 * 1024;

export const SERVICE_OPTIONS: ServiceOptions = {
  name: 'agent',
  bodyLimitBytes: BODY_LIMIT_BYTES,
  documentApi: serveDocument(API_DESCRIPTION),
};
