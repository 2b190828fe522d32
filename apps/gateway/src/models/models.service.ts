import { Injectable } from '@nestjs/common';
import { type Caller } from '@inference/guards';
import { PriceBook } from '@inference/metering';
import { UpstreamsService } from '../upstreams/upstreams.service';
import { type ModelListResponse, type ModelResponse } from './models.dto';
import { ModelNotFoundError } from './model.errors';

const OWNER = 'inference-platform';

@Injectable()
export class ModelsService {
  constructor(
    private readonly prices: PriceBook,
    private readonly upstreams: UpstreamsService,
  ) {}

  async list(caller: Caller): Promise<ModelListResponse> {
    const { models, effectiveFrom } = await this.prices.inForce();
    const allowed = caller.apiKey?.allowedModels;
    const created = Math.floor(effectiveFrom.getTime() / 1000);
    const data = [...models.keys()]
      .filter((slug) => this.upstreams.serves(slug) && (!allowed || allowed.includes(slug)))
      .map((id): ModelResponse => ({ id, object: 'model', created, owned_by: OWNER }));
    return { object: 'list', data };
  }

  /** Throws ModelNotFoundError for a model that the caller cannot use. */
  async find(caller: Caller, slug: string): Promise<ModelResponse> {
    const model = (await this.list(caller)).data.find(({ id }) => id === slug);
    if (!model) throw new ModelNotFoundError(slug);
    return model;
  }
}
