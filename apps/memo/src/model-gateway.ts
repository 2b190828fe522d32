import { ModelGateway } from '@inference/model-calls';
import { type MemoConfig } from './config';

export function modelGateway(config: MemoConfig): ModelGateway {
  return new ModelGateway({
    url: config.GATEWAY_URL,
    credential: config.GATEWAY_CREDENTIAL,
    silenceMillis: config.MODEL_SILENCE_TIMEOUT_SECONDS * 1000,
  });
}
