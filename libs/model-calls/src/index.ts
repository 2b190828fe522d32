export { CallAssembly, contentPieces, fieldsOf, isObjectText } from './chat-parts';
export { type Message, ModelAnswer, type ToolCall, type Usage } from './model-answer';
export {
  type CallEnd,
  type Embedded,
  GatewayClient,
  type ModelGatewayOptions,
  type ModelListener,
} from './gateway-client';
export { accountSuspended, keyGone, refusal, type Refusal } from './refusal';
