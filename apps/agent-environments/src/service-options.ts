import { type ServiceOptions } from '@inference/http';

/** Bodies are not read: the answer does not depend on them. */
export const SERVICE_OPTIONS: ServiceOptions = { name: 'agent-environments' };
