export { Authorization, isLasting } from './authorization.js';
export { maxRefusalLength, RequestRate, responseTimeoutMs, type RequestEnd } from './connection.js';
export { Link, type LinkUser, type LiveState, type WaitingReason } from './link.js';
export { isTransientRefusal, type Refusal } from './messages.js';
export {
  standardSockets,
  wsSockets,
  type OpenSocket,
  type StandardWebSocket,
  type StandardWebSocketEvent,
  type WebSocketClass,
} from './socket.js';
