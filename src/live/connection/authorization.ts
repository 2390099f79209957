// Authorizes a connection: reads a fresh token and sends it. Nothing private is sent before.
import { defer, NEVER, of, switchMap, take, throwIfEmpty, type Observable } from 'rxjs';
import {
  isExchangeError,
  LiveRefusedError,
  type AnyExchangeError,
  type ApiError,
  type AuthError,
} from '../../errors/index.js';
import { isTransientRefusal, type Connection, type Refusal } from './connection.js';

/** A token may have expired in transit. A second one that is refused shows that tokens are not the reason. */
const maxRefusals = 2;
/** The exchange's code for a private request on a connection that is not authorized. */
const unauthorizedCode = 6;
/** A channel that is refused with this code on every connection must not cost the others theirs again and again. */
const minReplacementMs = 300_000;
const name = 'live.authorize';

export class Authorization {
  readonly #readToken: () => Observable<string>;
  /** Refused tokens since the last one that was accepted, on any connection. */
  #refusals = 0;
  #replacedAt = Number.NEGATIVE_INFINITY;

  /** @param readToken reads a new token; a token is used once */
  constructor(readToken: () => Observable<string>) {
    this.#readToken = readToken;
  }

  /** Emits when an open connection is authorized; nothing after it was lost. Unsubscribing discards the token. */
  authorize(connection: Pick<Connection, 'request'>): Observable<unknown> {
    return defer(this.#readToken).pipe(
      take(1),
      // The second parameter is a constant of the exchange.
      switchMap((token) => connection.request('authorize', [token, 'public'])),
      throwIfEmpty(),
      switchMap((end): Observable<unknown> => {
        if (end.type === 'lost') return NEVER;
        if (end.type === 'result') {
          this.#refusals = 0;
          return of(end);
        }
        const { code, message } = end.refusal;
        const error = new LiveRefusedError(name, code, message);
        if (isTransientRefusal(error)) throw error;
        this.#refusals += 1;
        if (this.#refusals < maxRefusals) return this.authorize(connection);
        this.#refusals = 0;
        throw error;
      }),
    );
  }

  /**
   * Whether the refusal of a request on an authorized connection is one of the connection, which must be replaced. Soon
   * after a replacement, it is one of the request.
   */
  isLostBy({ code }: Refusal): boolean {
    const now = performance.now();
    if (code !== unauthorizedCode || now - this.#replacedAt < minReplacementMs) return false;
    this.#replacedAt = now;
    return true;
  }
}

/** Whether the credentials, their permissions or the request itself are the reason: the same request would fail again. */
export function isLasting(error: unknown): error is AnyExchangeError {
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
