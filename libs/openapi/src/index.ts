export {
  ApiErrors,
  ApiEventStream,
  ApiFile,
  ApiOneOf,
  ApiOpenObject,
  eventModelsOf,
  type EventStream,
  eventStreamContent,
  OPTIONAL_WAIT,
  type Reason,
} from './decorators';
export { type ApiDescription } from './document/api-description';
export { buildDocument } from './document/build-document';
export { CodedErrorResponse, ErrorResponse } from './document/complete-responses';
export { serveDocument } from './serve-document';
