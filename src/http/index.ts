export { classifyItem, retryAfterMs, transportError } from './classify.js';
export { readJson } from './json.js';
export { readResponse, responseOfAnother } from './read-response.js';
export { collectTexts, distinctiveTexts, hidden, Redactor, secretsOf } from './redactor.js';
export { isNonceAhead, outcomeOf, type SentRequest } from './outcome.js';
export { wireRequest, type Prepared } from './request.js';
export { type Receiver, type WireResponse, WireSending } from './send.js';
export { kyTransport, fetchTransport } from './ky-transport.js';
export { aProxy, connectionThrough, proxyOf, type UndiciTransportOptions } from './connections.js';
export { undiciTransport } from './undici-transport.js';
export {
  isLoopback,
  type Fetch,
  type Sending,
  type SendOptions,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.js';
