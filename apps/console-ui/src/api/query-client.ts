import { QueryClient } from '@tanstack/react-query';
import { toApiError } from './api-error';

const STALE_MILLIS = 30_000;
const MOST_RETRIES = 2;
const SLOWEST_RETRY_MILLIS = 30_000;

export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_MILLIS,
        // Figures are objects of a class, which structural sharing does not compare.
        structuralSharing: false,
        retry: (failures, error) => failures < MOST_RETRIES && toApiError(error).isTransient,
        retryDelay: (failures, error) =>
          Math.min((toApiError(error).retryAfterSeconds ?? 2 ** failures) * 1000, SLOWEST_RETRY_MILLIS),
      },
    },
  });
