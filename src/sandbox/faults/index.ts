// Injected faults, as the rest of the sandbox uses them.
export * from './fault.js';
export * from './lost-connection.js';
