import { type Schemas } from '../../api/console-api';

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
