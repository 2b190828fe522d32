import { type ServiceOptions } from '@inference/http';

/** No route takes a body, so bodies are not read. */
export const SERVICE_OPTIONS: ServiceOptions = { name: 'router-cost' };
