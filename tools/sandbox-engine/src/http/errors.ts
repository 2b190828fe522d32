/** An error response, with all fields of OpenAI's error body. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly param: string | null = null,
    readonly code: string | null = null,
    readonly type: string = 'invalid_request_error',
  ) {
    super(message);
  }
}

/** OpenAI's error body as JSON text: `{"error":{"message","type","param","code"}}`. */
export function errorJson({ message, type, param, code }: ApiError): string {
  return JSON.stringify({ error: { message, type, param, code } });
}

const SERVER_FAULT = 'The server had an error while processing your request. Sorry about that!';

const BY_STATUS: Record<number, { message: string; type: string; code: string | null }> = {
  400: { message: 'The request was refused on demand.', type: 'invalid_request_error', code: null },
  401: { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' },
  403: { message: 'You may not use this model.', type: 'invalid_request_error', code: 'permission_denied' },
  404: { message: 'The model does not exist.', type: 'invalid_request_error', code: 'model_not_found' },
  429: { message: 'Rate limit reached for requests.', type: 'requests', code: 'rate_limit_exceeded' },
  503: { message: 'The engine is currently overloaded.', type: 'server_error', code: 'overloaded' },
};

/** The error body that a real engine would send with `status`, for the behaviour `status=N`. */
export function errorForStatus(status: number): ApiError {
  const fallback =
    status < 500
      ? { message: 'The request was refused on demand.', type: 'invalid_request_error', code: null }
      : { message: SERVER_FAULT, type: 'server_error', code: null };
  const { message, type, code } = BY_STATUS[status] ?? fallback;
  return new ApiError(status, message, null, code, type);
}
