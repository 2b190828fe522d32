import { UnavailableException } from '@inference/http';

/** The error for requests that could not finish before the process ends. */
export const serviceStopping = () => new UnavailableException('the service is stopping', 'interrupted');
