import { Injectable } from '@nestjs/common';
import { type Caller } from '@inference/guards';
import { PriceBook } from '@inference/metering';
import { UpstreamsService } from '../upstreams/upstreams.service';
import { ModelNotFoundError } from './model.errors';

interface Model {
  id: string;
  object: 'model';
  /** When the price list with this model came into force, in Unix seconds. */
  created: number;
  owned_by: string;
}

const OWNER = 'inference-platform';

@Injectable()
export class ModelsService {
  constructor(
    private readonly prices: PriceBook,
    private readonly upstreams: UpstreamsService,
  ) {}

  async list(caller: Caller): Promise<{ object: 'list'; data: Model[] }> {
    const { models, effectiveFrom } = await this.prices.inForce();
    const allowed = caller.apiKey?.allowedModels;
    const created = Math.floor(effectiveFrom.getTime() / 1000);
    const data = [...models.keys()]
      .filter((slug) => this.upstreams.serves(slug) && (!allowed || allowed.includes(slug)))
      .map((id): Model => ({ id, object: 'model', created, owned_by: OWNER }));
    return { object: 'list', data };
  }

  /** Throws ModelNotFoundError for a model that the caller cannot use. */
  async find(caller: Caller, slug: string): Promise<Model> {
    const model = (await this.list(caller)).data.find(({ id }) => id === slug);
    if (!model) throw new ModelNotFoundError(slug);
    return model;
  }
}
