import { EVERY_MODEL } from '@inference/serving';
import { type ServedModelResponse } from '../inference/serving/served-models.dto';
import { type UpstreamResponse } from '../inference/serving/serving.dto';
import { type SiteStatusResponse } from './status-page.dto';

type ServiceStatus = SiteStatusResponse['services'][number];
export type ModelStatus = SiteStatusResponse['models'][number];
type Upstream = Pick<UpstreamResponse, 'state' | 'models' | 'health'>;

/** Without those that are hidden or retired, and those that no server has ever been named for. */
export function modelStatuses(
  slugs: readonly string[],
  served: readonly Pick<ServedModelResponse, 'slug' | 'state' | 'fallbacks'>[],
  upstreams: readonly Upstream[],
): ModelStatus[] {
  const rows = new Map(served.map((model) => [model.slug, model]));
  return slugs.flatMap((slug) => {
    const row = rows.get(slug);
    const own = ownStatus(slug, upstreams);
    if (own === null || (row && row.state !== 'offered')) return [];
    const isStandIn = (fallback: string) =>
      ['operational', 'degraded'].includes(ownStatus(fallback, upstreams) ?? '');
    return { slug, status: own === 'outage' && row?.fallbacks.some(isStandIn) ? 'degraded' : own };
  });
}

/** By the servers of the model alone; null if it has none. */
function ownStatus(slug: string, upstreams: readonly Upstream[]): ModelStatus['status'] | null {
  const serving = upstreams.filter(({ models }) =>
    models.some(({ model }) => model === slug || model === EVERY_MODEL),
  );
  if (serving.length === 0) return null;
  const active = serving.filter(({ state }) => state === 'active');
  const watched = active.filter(({ health }) => health.gateways > 0);
  if (active.length > 0 && watched.length === 0) return 'unknown';
  const working = watched.filter(
    ({ health }) => health.is_up !== false && !health.open_models.includes(slug),
  );
  if (working.length === 0) return 'outage';
  return working.length < watched.length ? 'degraded' : 'operational';
}

export function siteStatus(
  services: readonly ServiceStatus[],
  models: readonly ModelStatus[],
  incidents: SiteStatusResponse['incidents'],
  now: Date,
): SiteStatusResponse['status'] {
  const isAway = ({ status }: { status: string }) => status === 'outage';
  const gateway = services.find(({ name }) => name === 'gateway');
  if ((gateway && isAway(gateway)) || (models.length > 0 && models.every(isAway))) return 'outage';
  const isWell = ({ status }: { status: string }) => status === 'operational' || status === 'unknown';
  // A warning may be of something to come.
  const isTold = incidents.some(
    ({ severity, ends_at: end }) => severity === 'critical' && (end === null || new Date(end) > now),
  );
  return services.every(isWell) && models.every(isWell) && !isTold ? 'operational' : 'degraded';
}
