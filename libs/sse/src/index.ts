export { eventStream, type EventStream, type EventStreamOptions, type ServerSentEvent } from './event-stream';
