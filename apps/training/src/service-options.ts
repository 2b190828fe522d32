import { type ServiceOptions } from '@inference/http';

/** Nothing here takes a body: what is sent is left unread. */
export const SERVICE_OPTIONS: ServiceOptions = { name: 'training' };
