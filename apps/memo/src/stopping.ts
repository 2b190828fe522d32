import { DetailedException } from '@inference/http';

/** Refuses what would have to end before the process does. */
export const stoppingNow = () =>
  new DetailedException(503, 'the service is stopping', { code: 'interrupted' }, { 'Retry-After': '1' });
