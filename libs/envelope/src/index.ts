export { type Envelope } from './envelope';
export { CODES, codeOf, type EnvelopeCode, statusOf } from './envelope-codes';
export { CodedException } from './coded.exception';
export { EnvelopeFilter } from './envelope.filter';
export { EnvelopeModule } from './envelope.module';
