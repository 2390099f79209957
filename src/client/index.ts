// The door of the client: where the parts meet.
export { checkRequest, type CallOptions, type FindOptions } from '../call/index.js';
export type { CallEvent, RequestEvent, ResponseEvent, RetryEvent, UnreadableEvent, WaitEvent } from '../call/index.js';
export { createClient, createClientWithPushes, redactorOf, type Client, type ClientEndpoints } from './client.js';
export { ClientRegistry } from './client-registry.js';
export type { ClientEvent } from './events.js';
export { baseUrlOf, baseUrls, parseOptions, type ClientOptions, type RetryOptions } from './options.js';
