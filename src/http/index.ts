export { isNonceAhead } from './classify.js';
export { runEndpointFunction, readResponse, unreadableRecordsOf } from './read-response.js';
export { maxResponseBytesOf } from './received-body.js';
export { collectTexts, hidden, RecentSecrets, withoutSecrets, type Redact } from './redact.js';
export { wireRequest, type Prepared } from './request.js';
export { createSend } from './send.js';
export { transportError } from './transport-error.js';
export type { Fetch, FetchInit, Send, SendOptions, WireResponse } from './transport.js';
export { undiciFetch } from './undici-fetch.js';
