export { CODES } from './envelope-codes';
export { CodedException } from './coded.exception';
export { ENVELOPE_ERRORS } from './envelope.filter';
export { EnvelopeModule } from './envelope.module';
