import { type ServiceOptions } from '@inference/http';
import { serveDocument } from '@inference/openapi';
import { API_DESCRIPTION } from './api-description';
import { OpenAiErrorFilter } from './errors/openai-error.filter';

/** Room for long conversations that contain pictures. Each running request holds its body in memory. */
const BODY_LIMIT_BYTES = 32 * 1024 * 1024;

export const gatewayService = (): ServiceOptions => ({
  name: 'gateway',
  bodyLimitBytes: BODY_LIMIT_BYTES,
  documentApi: serveDocument(API_DESCRIPTION),
  errorFilter: new OpenAiErrorFilter(),
});
