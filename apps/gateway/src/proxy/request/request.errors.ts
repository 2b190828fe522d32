import { type FieldFault } from '@inference/dto';
import { GatewayError } from '../../errors/openai-error';

/** Fields of the request body have values that cannot be admitted or billed. The message names all, `param` the first one. */
export class InvalidValueError extends GatewayError {
  constructor(first: FieldFault, ...others: FieldFault[]) {
    const message = [first, ...others].map((fault) => `${fault.path}: ${fault.message}`).join('; ');
    super('invalid_value', message, first.path);
  }
}

/** The request body is not a JSON object that can be read. */
export class InvalidJsonError extends GatewayError {
  constructor(message: string) {
    super('invalid_json', message);
  }
}

/** The request body is not a form that can be read. */
export class InvalidFormError extends GatewayError {
  constructor(message: string) {
    super('invalid_form', message);
  }
}

/** A request header is malformed. */
export class InvalidHeaderError extends GatewayError {
  constructor({ path: header, message }: FieldFault) {
    super('invalid_header', `${header}: ${message}`, header);
  }
}

/** The caller may not use the entrypoint that it names. */
export class ReservedEntrypointError extends GatewayError {
  constructor(message: string) {
    super('reserved_entrypoint', message, 'X-Entrypoint');
  }
}
