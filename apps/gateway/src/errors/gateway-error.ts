/** The reasons for which the gateway refuses or fails a request. Part of the API: clients read them as `error.code`. */
export type GatewayErrorCode =
  | 'billing_unavailable'
  | 'billing_unknown'
  | 'exchange_rate_missing'
  | 'insufficient_balance'
  | 'invalid_header'
  | 'invalid_json'
  | 'invalid_value'
  | 'key_spend_limit_reached'
  | 'model_not_allowed'
  | 'model_not_found'
  | 'reserved_entrypoint'
  | 'upstream_error'
  | 'upstream_timeout';

/** Base class of the domain errors of the gateway. The message is shown to the client; `openai-error.ts` adds the HTTP status. */
export abstract class GatewayError extends Error {
  constructor(
    readonly code: GatewayErrorCode,
    message: string,
    /** The field or header at fault. */
    readonly param?: string,
  ) {
    super(message);
    this.name = new.target.name;
  }
}
