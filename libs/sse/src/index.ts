export { eventStream, type EventStream, type EventStreamOptions, type ServerSentEvent } from './event-stream';
export { bytesOf, dataOf, eventOf, type SseEvent, SseEventReader } from './event-reader';
