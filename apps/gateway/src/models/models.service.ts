import { allowsModel, type Caller } from '@inference/guards';
import { CURRENCY_BY_SITE } from '@inference/config';
import {
  conditionCount,
  hasPriceOf,
  type Price,
  PriceBook,
  pricesOutput,
  type PriceUnit,
  UNIT_DIGITS,
} from '@inference/metering';
import { PICO_DIGITS, picosToDecimal, scaledToDecimal } from '@inference/money';
import { type DirectoryModel, type ModelState } from '@inference/serving';
import { Inject, Injectable } from '@nestjs/common';
import { GatewayError } from '../errors/openai-error';
import { ServingDirectory } from '../upstreams/directory.service';
import { PRICES_CONFIG, type PricesConfig } from '../prices.module';
import { type ModelDetails, type ModelListResponse, type ModelResponse } from './models.dto';

/** A longer name is cut in the message. */
const SHOWN_MODEL_CHARS = 200;

/** The model has no published price, or no upstream serves it or one of its fallbacks. */
export class ModelNotFoundError extends GatewayError {
  constructor(model: string) {
    const shown = model.slice(0, SHOWN_MODEL_CHARS);
    super('model_not_found', `The model \`${shown}\` does not exist or is not offered here.`, 'model');
  }
}

/** The model is no longer offered. */
export class ModelRetiredError extends GatewayError {
  constructor(model: string, successor: string | null) {
    const hint = successor === null ? '' : ` Use \`${successor}\` instead.`;
    super('model_not_found', `The model \`${model}\` is no longer offered.${hint}`, 'model');
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
/** Fields of requests that hold for every model; others are passed to its server. */
const CHAT_PARAMETERS = [
  'max_completion_tokens',
  'max_tokens',
  'n',
  'stream',
  'stream_options',
  'temperature',
];
const EMBEDDING_PARAMETERS = ['input'];

/** The price of a token in whatever call, as OpenRouter's lists give it; null without one. */
const perToken = (rates: readonly Price[], units: readonly PriceUnit[]): string | null => {
  const rate = rates.find((price) => units.includes(price.unit) && conditionCount(price) === 0);
  return rate ? picosToDecimal(rate.ratePicos) : null;
};

@Injectable()
export class ModelsService {
  constructor(
    private readonly prices: PriceBook,
    private readonly directory: ServingDirectory,
    @Inject(PRICES_CONFIG) private readonly config: PricesConfig,
  ) {}

  /** The models that the caller may use, without hidden and retired ones. */
  async list(caller: Caller): Promise<ModelListResponse> {
    return { object: 'list', data: await this.models(caller, (state) => state === 'offered') };
  }

  /** A model by its slug or an alias, also a hidden one. Throws ModelNotFoundError for one that the caller cannot use. */
  async find(caller: Caller, name: string): Promise<ModelResponse> {
    const { models } = await this.prices.inForce();
    const slug = (await this.directory.current()).slugOf(name, models);
    const model = (await this.models(caller, (state) => state !== 'retired')).find(({ id }) => id === slug);
    if (!model) throw new ModelNotFoundError(name);
    return model;
  }

  private async models(caller: Caller, includes: (state: ModelState) => boolean): Promise<ModelResponse[]> {
    const { models, effectiveFrom } = await this.prices.inForce();
    const catalogue = await this.directory.current();
    const created = Math.floor(effectiveFrom.getTime() / 1000);
    const found: ModelResponse[] = [];
    for (const [id, rates] of models) {
      const details = catalogue.model(id);
      if (!includes(details?.state ?? 'offered') || !allowsModel(caller, id)) continue;
      const mayServe = (slug: string) => models.has(slug) && allowsModel(caller, slug);
      if (catalogue.candidatesOf(id).length === 0 && !catalogue.fallbacksOf(id, models).some(mayServe))
        continue;
      found.push({ id, object: 'model', created, owned_by: OWNER, ...this.detailsOf(rates, details) });
    }
    return found;
  }

  private detailsOf(rates: readonly Price[], details: DirectoryModel | undefined): ModelDetails {
    const isChat = pricesOutput(rates);
    const isText = hasPriceOf(rates, ['per_million_input_tokens', 'per_million_tokens']);
    return {
      name: details?.name ?? null,
      context_length: details?.contextTokens ?? null,
      max_output_tokens: details?.maxOutputTokens ?? null,
      input_modalities: details?.inputModalities ?? ['text'],
      output_modalities: details?.outputModalities ?? (isChat ? ['text'] : isText ? ['embedding'] : []),
      pricing: {
        currency: CURRENCY_BY_SITE[this.config.site],
        prompt: perToken(rates, ['per_million_input_tokens', 'per_million_tokens']),
        completion: perToken(rates, ['per_million_output_tokens', 'per_million_tokens']),
        prices: rates.map((rate) => ({
          unit: rate.unit,
          price: scaledToDecimal(rate.ratePicos, PICO_DIGITS - UNIT_DIGITS[rate.unit]),
          ...(rate.minInputTokens == null ? {} : { min_input_tokens: rate.minInputTokens }),
          ...(rate.serviceTier == null ? {} : { service_tier: rate.serviceTier }),
        })),
      },
      supported_parameters: isChat ? CHAT_PARAMETERS : isText ? EMBEDDING_PARAMETERS : [],
    };
  }
}
