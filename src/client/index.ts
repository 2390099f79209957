// The door of the client: one call, from its parameters to an observable.
export type { CallOptions, FindOptions } from './call-options.js';
export { checkRequest } from './check-request.js';
export { createClient, createClientWithPushes, type Client, type ClientEndpoints } from './client.js';
export { ClientRegistry } from './client-registry.js';
export type {
  CallEvent,
  ClientEvent,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  UnreadableEvent,
  WaitEvent,
} from './events.js';
export { baseUrlOf, checkOptions, type ClientOptions, type RetryOptions } from './options.js';
