export { CODES } from './envelope-codes';
export { ApiException } from './api.exception';
export { ENVELOPE_ERRORS } from './envelope.filter';
export { EnvelopeModule } from './envelope.module';
