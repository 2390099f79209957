export { Authorization, isLasting } from './authorization.js';
export { isTransientRefusal, RequestRate, responseTimeoutMs, type Refusal, type RequestEnd } from './connection.js';
export { Link, type LinkUser, type LiveState, type WaitingReason } from './link.js';
export {
  standardSockets,
  wsSockets,
  type OpenSocket,
  type StandardWebSocket,
  type StandardWebSocketEvent,
  type WebSocketClass,
} from './socket.js';
export { tappedSockets, type SocketEvent } from './tap.js';
