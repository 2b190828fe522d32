export { CODES } from './envelope-codes';
export { ApiEnvelope, EnvelopeErrorResponse } from './api-envelope.decorator';
export { ApiException, ENVELOPE_ERRORS, EnvelopeModule } from './envelope';
