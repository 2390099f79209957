// The real-time interface, as the rest of the sandbox uses it.
export { liveFaultKinds } from './live-fault.js';
export type { LiveFault, LiveFaultKind, PendingLiveFault, RandomLiveFaults } from './live-fault.js';
export { aChannel, LiveFaults, liveFaultRules, randomLiveFaultRules } from './live-faults.js';
export * from './in-process-socket.js';
export { maxMessageBytes, type LiveConnection, type LiveState } from './live-connection.js';
export { LiveExchange } from './live-exchange.js';
export { LiveRecord } from './live-record.js';
export { livePath, LiveServer } from './live-server.js';
export type { LiveSocket, Push } from './envelope.js';
export type { Channel, Subscription } from './channel.js';
