import { type ApiDescription } from '@inference/openapi';
import { OpenAiErrorResponse } from './errors/openai-error.response';

export const API_DESCRIPTION: ApiDescription = {
  title: 'Gateway API',
  limitsRefusals: true,
  description:
    'Models of one site in the shapes of OpenAI’s API. Every token is metered once and charged once, at the published price, to the wallet of the API key’s account.',
  errorBody: OpenAiErrorResponse,
  defaultKinds: ['api_key', 'on_behalf'],
  tags: { Models: 'Models and their answers.', Health: 'Probe of load balancers.' },
};
