import { newId } from '@inference/database';
import { type ServiceOptions } from '@inference/http';
import { type ApiDescription, serveDocument } from '@inference/openapi';
import { OpenAiErrorFilter } from './errors/openai-error.filter';
import { openAiErrorBody, OpenAiErrorResponse } from './errors/openai-error';

export const API_DESCRIPTION: ApiDescription = {
  title: 'Gateway API',
  limitsRefusals: true,
  description:
    'Models of one site in the shapes of OpenAI’s API. Every token is metered once and charged once, at the published price, to the wallet of the API key’s account.',
  errorBody: OpenAiErrorResponse,
  defaultKinds: ['api_key', 'on_behalf'],
  tags: {
    Models: 'Models and their answers.',
    Messages: 'Answers in the shapes of Anthropic’s Messages.',
    Responses: 'Answers in the shapes of OpenAI’s Responses.',
    Health: 'Probe of load balancers.',
  },
};

/** Room for long conversations that contain pictures. Each running request holds its body in memory. */
const BODY_LIMIT_BYTES = 32 * 1024 * 1024;

export const gatewayService = (): ServiceOptions => ({
  name: 'gateway',
  bodyLimitBytes: BODY_LIMIT_BYTES,
  documentApi: serveDocument(API_DESCRIPTION),
  errorFilter: new OpenAiErrorFilter(),
  newRequestId: () => newId('req'),
  parserErrorBody: openAiErrorBody,
});
