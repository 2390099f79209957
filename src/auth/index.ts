export { createSign, requireSigning, signRequest, type Credentials, type Signing } from './signing.js';
export { ExchangeClock, readUntilConfirmed, steadyClock } from './exchange-clock.js';
export { createNonces, maxNonceAheadMs, nonceWindowMs, type Nonces, type NonceRange } from './nonces.js';
