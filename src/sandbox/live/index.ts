// The real-time interface, as the rest of the sandbox uses it.
export { liveFaultKinds, liveFaultRules, LiveFaults, randomLiveFaultRules } from './faults/index.js';
export type { LiveFault, LiveFaultKind, PendingLiveFault, RandomLiveFaults } from './faults/index.js';
export { webSocketClass, type SandboxCloseEvent } from './in-process-socket.js';
export type { SandboxWebSocket, SandboxWebSocketClass } from './in-process-socket.js';
export { maxMessageBytes } from './live-connection.js';
export { LiveExchange } from './live-exchange.js';
export { liveSettings, type SandboxLiveOptions } from './live-options.js';
export { LiveRecord } from './live-record.js';
export { livePath, LiveServer } from './live-server.js';
export type { Admission, Frame, LiveSocket } from './live-socket.js';
