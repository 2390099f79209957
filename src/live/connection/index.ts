export { Authorization } from './authorization.js';
export type { ConnectionEnd, Pause, RequestEnd } from './connection.js';
export { Link, type LinkOptions, type LinkReport, type LinkUser } from './link.js';
export type { LiveState, WaitingReason } from './live-state.js';
export { RequestRate } from './request-rate.js';
export { isLasting } from './lasting-error.js';
export { isTransientRefusal, maxRefusalLength, type Refusal } from './messages.js';
export type { OpenSocket } from './socket.js';
export {
  standardSockets,
  type StandardWebSocket,
  type StandardWebSocketEvent,
  type WebSocketClass,
} from './standard-socket.js';
export { openWsSocket } from './ws-socket.js';
