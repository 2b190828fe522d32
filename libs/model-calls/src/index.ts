export { type Message, type ToolCall } from './message';
export { ModelAnswer, type Usage } from './model-answer';
export {
  type CallEnd,
  type Embedded,
  ModelGateway,
  type ModelGatewayOptions,
  type ModelListener,
} from './model-gateway';
export { refusal, type Refusal } from './refusal';
