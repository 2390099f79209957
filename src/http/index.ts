export { isNonceAhead } from './classify.js';
export { undiciFetch } from './undici-fetch.js';
export { runEndpointFunction, unreadableRecordsOf, readResponse } from './read-response.js';
export { maxResponseBytesOf } from './received-body.js';
export { hidden, RecentSecrets, collectTexts, withoutSecrets, type Redact } from './redact.js';
export { wireRequest, type Prepared } from './request.js';
export { createSend, type Fetch, type FetchInit, type Send, type SendOptions, type WireResponse } from './send.js';
export { transportError } from './transport-error.js';
