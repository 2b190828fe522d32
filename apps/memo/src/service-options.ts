import { type ServiceOptions } from '@inference/http';

export const SERVICE_OPTIONS: ServiceOptions = { name: 'memo', bodyLimitBytes: 1_048_576 };
