import { GatewayError } from '../errors/gateway-error';

/** A longer name is cut in the message. */
const SHOWN_MODEL_CHARS = 200;

/** The model has no published price, or no upstream serves it. */
export class ModelNotFoundError extends GatewayError {
  constructor(model: string) {
    const shown = model.slice(0, SHOWN_MODEL_CHARS);
    super('model_not_found', `The model \`${shown}\` does not exist or is not offered here.`, 'model');
  }
}

/** The model is priced by its input tokens and has no price of its output. */
export class OutputPriceMissingError extends GatewayError {
  constructor(model: string) {
    super(
      'model_not_found',
      `The model \`${model}\` has no price of its output, so it is offered for embeddings only.`,
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
