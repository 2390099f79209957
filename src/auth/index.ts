export {
  createSign,
  createSigning,
  requireSigning,
  signedBody,
  takeNonce,
  type Credentials,
  type Nonce,
  type Signing,
} from './signing.js';
export { ExchangeClock, readUntilConfirmed, steadyClock } from './exchange-clock.js';
export {
  createNonces,
  maxNonceAheadMs,
  nonceWindowMs,
  type NonceMode,
  type Nonces,
  type NonceRange,
} from './nonces.js';
