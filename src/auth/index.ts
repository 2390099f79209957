export { jsonBody, signedBody, type Nonce } from './body.js';
export { createSign, type Credentials, type Sign } from './credentials.js';
export { createSigning, requireSigning, takeNonce, type Signing } from './signing.js';
export {
  ExchangeClock,
  readUntilConfirmed,
  steadyClock,
  type ClockReading,
  type NonceRejection,
} from './exchange-clock.js';
export {
  createNonces,
  maxNonceAheadMs,
  nonceWindowMs,
  type NonceShard,
  type NonceMode,
  type Nonces,
  type NonceRange,
} from './nonces.js';
