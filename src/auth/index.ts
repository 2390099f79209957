export {
  createSign,
  createSigning,
  jsonBody,
  requireSigning,
  signedBody,
  takeNonce,
  type Credentials,
  type Nonce,
  type Sign,
  type Signing,
} from './signing.js';
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
  type NonceMode,
  type Nonces,
  type NonceRange,
} from './nonces.js';
