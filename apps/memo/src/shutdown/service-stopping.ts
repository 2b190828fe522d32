import { DetailedException } from '@inference/http';

/** The error for requests that could not finish before the process ends. */
export const serviceStopping = () =>
  new DetailedException(503, 'the service is stopping', { code: 'interrupted' }, { 'Retry-After': '1' });
