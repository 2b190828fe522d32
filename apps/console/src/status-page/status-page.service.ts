import { Inject, Injectable, Logger, NotFoundException } from '@nestjs/common';
import { EVERY_MODEL } from '@inference/serving';
import { PricingService } from '../billing/pricing/pricing.service';
import { ServedModelsService } from '../inference/serving/served-models.service';
import { UpstreamsService } from '../inference/serving/upstreams.service';
import { LEGAL_CONFIG, type LegalConfig } from '../legal.config';
import { AnnouncementsService } from '../notifications/announcements/announcements.service';
import { type CurrentAnnouncementsResponse } from '../notifications/announcements/announcements.dto';
import { ServiceHealthService } from '../service-health/service-health.service';
import { type SiteStatusResponse } from './status-page.dto';
import { type ServedModelResponse } from '../inference/serving/served-models.dto';
import { type UpstreamResponse } from '../inference/serving/serving.dto';

/** The history of incidents that customers of other platforms know. */
const INCIDENT_DAYS = 90;
/** For so long an answer serves all visitors. Chosen: an outage is seen at once, and the services are not asked more often than by a balancer. */
const FRESH_MILLIS = 10_000;
/** A visitor gets an answer that old while the services are asked anew, which takes seconds if one of them is away. */
const USABLE_MILLIS = 60_000;

export interface StatusSnapshot {
  status: SiteStatusResponse;
  /** What the banner of the pages shows. */
  announcements: CurrentAnnouncementsResponse;
}

type Stored = Pick<SiteStatusResponse, 'incidents'> &
  Pick<StatusSnapshot, 'announcements'> & { models: ModelStatus[] };

/** What the status page says. Visitors share one snapshot: their number does not reach the database or the services. */
@Injectable()
export class StatusPageService {
  private readonly logger = new Logger(StatusPageService.name);
  private snapshot: StatusSnapshot | undefined;
  private takenAt = -Infinity;
  private refreshing: Promise<StatusSnapshot> | undefined;
  /** What the database said last: it may be what is away. */
  private stored: Stored = { models: [], incidents: [], announcements: { announcements: [] } };

  constructor(
    @Inject(LEGAL_CONFIG) private readonly legal: LegalConfig,
    private readonly health: ServiceHealthService,
    private readonly pricing: PricingService,
    private readonly servedModels: ServedModelsService,
    private readonly upstreams: UpstreamsService,
    private readonly announcements: AnnouncementsService,
  ) {}

  /** Throws 404 if the site has no public status page. */
  async read(): Promise<StatusSnapshot> {
    if (!this.legal.hasStatusPage) throw new NotFoundException('the site has no public status page');
    const age = performance.now() - this.takenAt;
    if (this.snapshot && age < FRESH_MILLIS) return this.snapshot;
    this.refreshing ??= this.refresh().finally(() => (this.refreshing = undefined));
    return this.snapshot && age < USABLE_MILLIS ? this.snapshot : this.refreshing;
  }

  /** Never rejects: a status page is read when something is broken. */
  private async refresh(): Promise<StatusSnapshot> {
    const [health, stored] = await Promise.all([this.health.checkServices(), this.readStored()]);
    const services = health.services.map(({ name, status }) => ({
      name,
      status: status === 'ok' ? ('operational' as const) : ('outage' as const),
    }));
    const { models, incidents, announcements } = stored;
    const status = siteStatus(services, models, incidents, new Date());
    this.snapshot = {
      status: { status, services, models, incidents, checked_at: health.checked_at },
      announcements,
    };
    this.takenAt = performance.now();
    return this.snapshot;
  }

  private async readStored(): Promise<Stored> {
    try {
      const [pricing, served, upstreams, incidents, announced] = await Promise.all([
        this.pricing.read(null),
        this.servedModels.list(),
        this.upstreams.list(),
        this.announcements.listIncidents(INCIDENT_DAYS),
        this.announcements.listPublic(),
      ]);
      const slugs = new Set(pricing.body.models.map(({ slug }) => slug));
      this.stored = {
        models: modelStatuses([...slugs].sort(), served, upstreams),
        incidents,
        announcements: announced.body,
      };
    } catch (error) {
      this.logger.warn(`The status page shows what was stored before: ${String(error)}`);
      // Nobody knows what gateways see now.
      this.stored.models = this.stored.models.map(({ slug }) => ({ slug, status: 'unknown' }));
    }
    return this.stored;
  }
}

type ServiceStatus = SiteStatusResponse['services'][number];
type ModelStatus = SiteStatusResponse['models'][number];
type Upstream = Pick<UpstreamResponse, 'state' | 'models' | 'health'>;

/** Without those that are hidden or retired, and those that no server has ever been named for. */
function modelStatuses(
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

function siteStatus(
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
