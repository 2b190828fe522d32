import { allowsModel, type Caller } from '@inference/guards';
import { PriceBook } from '@inference/metering';
import { Injectable } from '@nestjs/common';
import { GatewayError } from '../errors/openai-error';
import { UpstreamsService } from '../upstreams/upstreams.service';
import { type ModelListResponse, type ModelResponse } from './models.dto';

/** A longer name is cut in the message. */
const SHOWN_MODEL_CHARS = 200;

/** The model has no published price, or no upstream serves it. */
export class ModelNotFoundError extends GatewayError {
  constructor(model: string) {
    const shown = model.slice(0, SHOWN_MODEL_CHARS);
    super('model_not_found', `The model \`${shown}\` does not exist or is not offered here.`, 'model');
  }
}

/** The model has no price of its output. */
export class OutputPriceMissingError extends GatewayError {
  constructor(model: string) {
    super(
      'model_not_found',
      `The model \`${model}\` has no price of its output, so it is offered for embeddings only.`,
      'model',
    );
  }
}

/** The model is not priced by what the endpoint counts. */
export class UnitPriceMissingError extends GatewayError {
  /** @param counts what the endpoint counts */
  constructor(model: string, counts: string) {
    super(
      'model_not_found',
      `The model \`${model}\` has no price of ${counts}, so it is not offered here.`,
      'model',
    );
  }
}

/** The model is not on the API key's allow-list. */
export class ModelNotAllowedError extends GatewayError {
  constructor(model: string) {
    super('model_not_allowed', `This API key may not use the model \`${model}\`.`, 'model');
  }
}

const OWNER = 'inference-platform';

@Injectable()
export class ModelsService {
  constructor(
    private readonly prices: PriceBook,
    private readonly upstreams: UpstreamsService,
  ) {}

  async list(caller: Caller): Promise<ModelListResponse> {
    const { models, effectiveFrom } = await this.prices.inForce();
    const created = Math.floor(effectiveFrom.getTime() / 1000);
    const data = [...models.keys()]
      .filter((slug) => this.upstreams.serves(slug) && allowsModel(caller, slug))
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
