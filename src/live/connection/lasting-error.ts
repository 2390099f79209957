// Which errors the same request would have again, however often it is sent.
import { isExchangeError } from '../../errors/index.js';
import { isTransientRefusal } from './messages.js';

/** Whether the credentials, their permissions or the request itself are the reason, and not the moment. */
export function isLasting(error: unknown): boolean {
  if (!isExchangeError(error)) return false;
  switch (error.kind) {
    case 'request':
      return true;
    case 'api':
      return error.status < 500;
    case 'auth':
      // A rejected nonce says nothing about the key.
      return error.reason !== 'nonce-expired' && error.reason !== 'nonce-used';
    case 'live-refused':
      return !isTransientRefusal(error);
    default:
      return false;
  }
}
