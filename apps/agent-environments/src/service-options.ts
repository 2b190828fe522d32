import { type ServiceOptions } from '@inference/http';

/** Bodies are left unread: whatever is sent, the answer is the same. */
export const SERVICE_OPTIONS: ServiceOptions = { name: 'agent-environments' };
