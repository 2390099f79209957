// The door of the client: where the parts meet.
export { checkRequest, type CallEvent, type CallOptions, type FindOptions } from '../call/index.js';
export { createClient, type Client, type InnerClient, type Member } from './client.js';
export { ClientRegistry } from './client-registry.js';
export type { ClientEvent } from './desk.js';
export { baseUrls, checkBaseUrl, parseOptions, type ClientOptions } from './options.js';
