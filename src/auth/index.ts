export { signedBody } from './body.js';
export { createSign, type Credentials, type Sign } from './credentials.js';
export { createNonces, type Nonces } from './nonces.js';
