// The door of the errors and of the rules for options.
export * from './any-error.js';
export * from './call-errors.js';
export * from './exchange-error.js';
export * from './http-errors.js';
export * from './parse.js';
export * from './recording-error.js';
export * from './synchronous-errors.js';
