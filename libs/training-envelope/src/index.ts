export { CODES } from './envelope-codes';
export { ApiEnvelope, EnvelopeErrorResponse } from './api-envelope.decorator';
export { ApiException } from './api.exception';
export { ENVELOPE_ERRORS } from './envelope.filter';
export { EnvelopeModule } from './envelope.module';
