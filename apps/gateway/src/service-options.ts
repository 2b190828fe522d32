import { type ServiceOptions } from '@inference/http';
import { OpenAiErrorFilter } from './errors/openai-error.filter';

/** Room for long conversations that contain pictures. Each running request holds its body in memory. */
const BODY_LIMIT_BYTES = 32 * 1024 * 1024;

export const gatewayService = (): ServiceOptions => ({
  name: 'gateway',
  bodyLimitBytes: BODY_LIMIT_BYTES,
  errorFilter: new OpenAiErrorFilter(),
});
