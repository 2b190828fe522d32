import { type ServiceOptions } from '@inference/http';

/** The longest content that is allowed, with every character written as an escape, and some more. */
const BODY_LIMIT_BYTES = 2 * 1024 * 1024;

export const SERVICE_OPTIONS: ServiceOptions = { name: 'agent', bodyLimitBytes: BODY_LIMIT_BYTES };
