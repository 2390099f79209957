// Which errors the same request would have again, however often it is sent.
import { isExchangeError, type ApiError, type AuthError } from '../../errors/index.js';
import { isTransientRefusal } from './messages.js';

/** Whether the credentials, their permissions or the request itself are the reason, and not the moment. */
export function isLasting(error: unknown): boolean {
  if (!isExchangeError(error)) return false;
  switch (error.kind) {
    case 'request':
      return true;
    case 'api':
      return error.status < 500 && isOfExchange(error);
    case 'auth':
      // A rejected nonce does not make the key invalid.
      return error.reason !== 'nonce-expired' && error.reason !== 'nonce-used' && isOfExchange(error);
    case 'live-refused':
      return !isTransientRefusal(error);
    default:
      return false;
  }
}

/** Whether the exchange says what is wrong. A page of a gateway, such as one that blocks an address, may be gone soon. */
function isOfExchange({ status, code, exchangeMessage, errors }: ApiError | AuthError): boolean {
  return status === 401 || code !== undefined || exchangeMessage !== undefined || Object.keys(errors).length > 0;
}
