import { GatewayError } from '../../errors/gateway-error';

/** A field of the request body has a value that cannot be admitted or billed. */
export class InvalidValueError extends GatewayError {
  constructor(param: string, rule: string) {
    super('invalid_value', `${param}: ${rule}`, param);
  }
}

/** The request body is not a JSON object that can be read. */
export class InvalidJsonError extends GatewayError {
  constructor(message: string) {
    super('invalid_json', message);
  }
}

/** A request header is malformed. */
export class InvalidHeaderError extends GatewayError {
  constructor(header: string, rule: string) {
    super('invalid_header', `${header} ${rule}`, header);
  }
}

/** The caller may not use the entrypoint that it names. */
export class ReservedEntrypointError extends GatewayError {
  constructor(message: string) {
    super('reserved_entrypoint', message, 'X-Entrypoint');
  }
}
