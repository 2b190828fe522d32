import { queryOptions } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas } from '../../api/console-api';

const REFRESH_MILLIS = 10_000;

/** Asks all services every ten seconds and keeps since when each is in its state. */
export const healthQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['admin-health'],
    queryFn: async ({ signal, client, queryKey }) => {
      const health = await bodyOf(api.GET('/api/admin/health', { signal }));
      return observe(health, client.getQueryData<ObservedHealth>(queryKey));
    },
    refetchInterval: REFRESH_MILLIS,
    staleTime: 0,
  });

type SiteHealth = Schemas['SiteHealthResponse'];

type ServiceHealth = SiteHealth['services'][number];

/** `since`: when the page first saw the service in this state. */
export type ObservedService = ServiceHealth & { since: string };

export interface ObservedHealth {
  services: ObservedService[];
  checkedAt: string;
}

/** What is seen now, with what the page has seen before. */
export function observe(
  { services, checked_at: checkedAt }: { services: ServiceHealth[]; checked_at: string },
  before: ObservedHealth | undefined,
): ObservedHealth {
  const sinceOf = ({ name, status }: ServiceHealth) => {
    const earlier = before?.services.find((one) => one.name === name);
    return earlier?.status === status ? earlier.since : checkedAt;
  };
  return { services: services.map((service) => ({ ...service, since: sinceOf(service) })), checkedAt };
}
