export { Authorization, isLasting } from './authorization.js';
export { isTransientRefusal, RequestRate, responseTimeoutMs, type Refusal } from './connection.js';
export { Link, type LinkUser, type LiveState } from './link.js';
export { standardSockets, wsSockets, type OpenSocket, type WebSocketClass } from './socket.js';
export { tappedSockets, type SocketEvent } from './tap.js';
