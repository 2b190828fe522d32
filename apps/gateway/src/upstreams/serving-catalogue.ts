import { type Directory, type DirectoryModel, EVERY_MODEL } from '@inference/serving';
import { type NativeProtocol, type Upstream, type UpstreamOfModel } from './upstream';

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

  /** Those of the upstreams of a model that a call in a protocol can be passed on to, or translated for. @param native absent: chat completions */
  callableFor(slug: string, native: NativeProtocol | undefined): readonly UpstreamOfModel[] {
    const candidates = this.candidatesOf(slug);
    const isCallable = ({ upstream }: UpstreamOfModel) =>
      upstream.speaks('chat') || (native !== undefined && upstream.speaks(native));
    return candidates.every(isCallable) ? candidates : candidates.filter(isCallable);
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
