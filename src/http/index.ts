export { isAhead } from './classify.js';
export { leanFetch } from './lean-fetch.js';
export { byEndpoint, leftOutOf, readResponse } from './read-response.js';
export { maxResponseBytesOf } from './received-body.js';
export { hidden, RecentSecrets, textsOf, withoutSecrets, type Redact } from './redact.js';
export { wireRequest, type Prepared, type Signer } from './request.js';
export { createSend, type Fetch, type FetchInit, type Send, type SendOptions, type WireResponse } from './send.js';
export { transportError } from './transport-error.js';
