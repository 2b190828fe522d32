import { Database, newId, NotificationChannel } from '@inference/database';
import {
  CredentialSeal,
  type Directory,
  type DirectoryModel,
  type DirectoryUpstream,
  EVERY_MODEL,
  fillDirectory,
  parseDirectory,
  readDirectoryText,
  removeReport,
  reportUpstreams,
  SERVING_CHANNEL,
} from '@inference/serving';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { type NativeProtocol, Upstream, type UpstreamOfModel } from './upstream';
import { LimitedUpstreams } from './upstream-limits';
import { UpstreamReports } from './upstream-reports';
import { UPSTREAMS_CONFIG, type UpstreamsConfig } from './upstreams.config';

/** Models and upstreams as they are at one moment. */
export class ServingCatalogue {
  private readonly models: Map<string, DirectoryModel>;
  private readonly slugOfAlias = new Map<string, string>();
  private readonly candidates = new Map<string, readonly UpstreamOfModel[]>();
  private readonly active: readonly Upstream[];

  constructor(
    { models }: Directory,
    readonly upstreams: readonly Upstream[],
  ) {
    this.models = new Map(models.map((model) => [model.slug, model]));
    for (const { slug, aliases } of models)
      for (const alias of aliases) if (!this.models.has(alias)) this.slugOfAlias.set(alias, slug);
    this.active = upstreams.filter((upstream) => upstream.isActive);
  }

  /** The slug of the model that is called by this name. A model that was published under the alias of another one is itself. */
  slugOf(name: string, priced: ReadonlyMap<string, unknown>): string {
    return priced.has(name) ? name : (this.slugOfAlias.get(name) ?? name);
  }

  /** What is known of the model; of one without a row what is known of every other model. */
  model(slug: string): DirectoryModel | undefined {
    return this.models.get(slug) ?? this.models.get(EVERY_MODEL);
  }

  /** The slugs of the models that may answer instead of one, in order, as far as they have upstreams. */
  fallbacksOf(slug: string, priced: ReadonlyMap<string, unknown>): string[] {
    const slugs = (this.model(slug)?.fallbacks ?? []).map((name) => this.slugOf(name, priced));
    return slugs.filter(
      (other) => this.model(other)?.state !== 'retired' && this.candidatesOf(other).length > 0,
    );
  }

  /** Those of the upstreams of a model that speak chat completions and their siblings. */
  chatServersOf(slug: string): readonly UpstreamOfModel[] {
    const candidates = this.candidatesOf(slug);
    const isOne = ({ upstream }: UpstreamOfModel) => upstream.otherProtocol === undefined;
    return candidates.every(isOne) ? candidates : candidates.filter(isOne);
  }

  /** Whether one of the upstreams of a model speaks a protocol. */
  speaks(slug: string, protocol: NativeProtocol): boolean {
    return this.candidatesOf(slug).some(({ upstream }) => upstream.speaks(protocol));
  }

  /** The upstreams that may be called for a model, by priority. @param slug of a model with a price: the result is kept */
  candidatesOf(slug: string): readonly UpstreamOfModel[] {
    let found = this.candidates.get(slug);
    if (!found) {
      found = this.active
        .flatMap((upstream) => upstream.candidateFor(slug, EVERY_MODEL) ?? [])
        .sort((a, b) => a.priority - b.priority);
      this.candidates.set(slug, found);
    }
    return found;
  }
}

/** How often the database is read and told of the upstreams: the oldest that models and upstreams can be. */
const INTERVAL_MILLIS = 2_000;

/** Keeps models and upstreams as the database has them, and fills a database that has none. */
@Injectable()
export class ServingDirectory implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(ServingDirectory.name);
  private readonly gatewayId = newId('gw');
  private readonly seal: CredentialSeal;
  private readonly reports = new UpstreamReports();
  private catalogue: ServingCatalogue | undefined;
  private text = '';
  private loading: Promise<void> | undefined;
  private isStale = false;
  private isFilled = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    channel: NotificationChannel,
    @Inject(UPSTREAMS_CONFIG) private readonly config: UpstreamsConfig,
    private readonly limits: LimitedUpstreams,
  ) {
    this.seal = new CredentialSeal(config.encryptionKeys);
    const reload = () => void this.load().catch(() => undefined);
    channel.on(SERVING_CHANNEL, reload);
    channel.onReconnect(reload);
  }

  async onModuleInit(): Promise<void> {
    this.timer = setInterval(() => void this.refresh(), INTERVAL_MILLIS);
    await this.refresh();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    // A database that is gone forgets the report by itself.
    await removeReport(this.database, this.gatewayId).catch(() => undefined);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all((this.catalogue?.upstreams ?? []).map((upstream) => upstream.close()));
  }

  /** The upstreams of now, also those that get no calls. */
  get upstreams(): readonly Upstream[] {
    return this.catalogue?.upstreams ?? [];
  }

  /** Models and upstreams of now. Rejects if they have never been read and the database is unavailable. */
  current(): ServingCatalogue | Promise<ServingCatalogue> {
    return this.catalogue ?? this.load().then(() => this.catalogue!);
  }

  private async refresh(): Promise<void> {
    try {
      await this.load();
      const report = JSON.stringify(this.reports.of(this.upstreams));
      await reportUpstreams(this.database, this.gatewayId, report);
    } catch (error) {
      this.logger.warn(`Models and upstreams are not read: ${(error as Error).message}`);
    }
  }

  /** Reads the database. A change that is announced meanwhile is read as well. */
  private load(): Promise<void> {
    this.isStale = true;
    this.loading ??= this.read().finally(() => (this.loading = undefined));
    return this.loading;
  }

  private async read(): Promise<void> {
    if (!this.isFilled) await this.fill();
    while (this.isStale) {
      this.isStale = false;
      const text = await readDirectoryText(this.database);
      if (text !== this.text || !this.catalogue) this.apply(text);
    }
  }

  private async fill(): Promise<void> {
    const { configured, fillMode } = this.config;
    const { upstreamsDiffer, modelsDiffer } = await this.database.transaction((transaction) =>
      fillDirectory(transaction, configured, fillMode, this.seal),
    );
    this.isFilled = true;
    const message = 'differs from the database, which counts: change it in the console';
    if (upstreamsDiffer) this.logger.warn(`UPSTREAMS ${message}.`);
    if (modelsDiffer) this.logger.warn(`MODEL_LIMITS ${message}.`);
  }

  private apply(text: string): void {
    const directory = parseDirectory(text);
    const former = new Map(this.upstreams.map((upstream) => [upstream.id, upstream]));
    const upstreams = directory.upstreams.map((options) => this.upstreamOf(options, former));
    for (const upstream of upstreams) former.delete(upstream.id);
    this.catalogue = new ServingCatalogue(directory, upstreams);
    this.text = text;
    for (const upstream of former.values()) void upstream.close();
  }

  private upstreamOf(options: DirectoryUpstream, former: ReadonlyMap<string, Upstream>): Upstream {
    const known = former.get(options.id);
    const isKept = known?.update(options) ?? false;
    const upstream = isKept ? known! : new Upstream(options, this.config, this.seal, known);
    // Its calls go on over the former connections.
    if (known && !isKept) void known.close();
    upstream.obey(this.limits.of(options, upstream.load));
    if (options.credentials.length > upstream.credentialCount)
      this.logger.error(
        `A credential of ${options.name} is encrypted with no key of UPSTREAM_ENCRYPTION_KEYS.`,
      );
    return upstream;
  }
}
