export { CODES, ApiException, ENVELOPE_ERRORS, EnvelopeModule } from './envelope';
export { ApiEnvelope, EnvelopeErrorResponse } from './api-envelope.decorator';
