export { ApiErrors } from './decorators/api-errors.decorator';
export {
  ApiEventStream,
  type EventStream,
  eventModelsOf,
  eventStreamContent,
} from './decorators/api-event-stream.decorator';
export { ApiOpenObject } from './decorators/api-open-object.decorator';
export { ApiFile } from './decorators/api-file.decorator';
export { ApiOneOf } from './decorators/api-one-of.decorator';
export { type ApiDescription } from './document/api-description';
export { buildDocument } from './document/build-document';
export { CodedErrorResponse, ErrorResponse } from './error.response';
export { serveDocument } from './serve-document';
