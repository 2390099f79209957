// Authorizes a connection: reads a fresh token and sends it. Nothing private is sent before.
import { catchError, defaultIfEmpty, defer, NEVER, Observable, of, switchMap, take } from 'rxjs';
import {
  isExchangeError,
  LiveRefusedError,
  type AnyExchangeError,
  type ApiError,
  type AuthError,
} from '../../errors/index.js';
import { isTransientRefusal, type Connection, type Refusal, type RequestEnd } from './connection.js';

export type AuthorizationEnd =
  | { readonly type: 'authorized' }
  /** A later attempt may succeed. */
  | { readonly type: 'later'; readonly retryAfterMs?: number }
  /** No attempt succeeds with these credentials. */
  | { readonly type: 'failed'; readonly error: AnyExchangeError };

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
  /** When a connection was last replaced because its authorization was lost, by `performance.now()`. */
  #replacedAt = Number.NEGATIVE_INFINITY;

  /** @param readToken reads a new token; a token is used once */
  constructor(readToken: () => Observable<string>) {
    this.#readToken = readToken;
  }

  /** Authorizes an open connection. Unsubscribing discards the token. Emits no end after the connection was lost. */
  authorize(connection: Pick<Connection, 'request'>): Observable<AuthorizationEnd> {
    return defer(this.#readToken).pipe(
      take(1),
      switchMap((token) => requestEnd(connection, token)),
      switchMap((end): Observable<AuthorizationEnd> => {
        if (end.type === 'lost') return NEVER;
        if (end.type === 'result') {
          this.#refusals = 0;
          return of({ type: 'authorized' });
        }
        const { code, message } = end.refusal;
        if (isTransientRefusal(end.refusal)) return of({ type: 'later' });
        this.#refusals += 1;
        if (this.#refusals < maxRefusals) return this.authorize(connection);
        this.#refusals = 0;
        return of({ type: 'failed', error: new LiveRefusedError(name, code, message) });
      }),
      catchError((error: unknown) => of(endOf(error))),
      defaultIfEmpty<AuthorizationEnd, AuthorizationEnd>({ type: 'later' }),
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

function requestEnd(connection: Pick<Connection, 'request'>, token: string): Observable<RequestEnd> {
  return new Observable<RequestEnd>((subscriber) =>
    // The second parameter is a constant of the exchange.
    connection.request('authorize', [token, 'public'], (end) => {
      subscriber.next(end);
      subscriber.complete();
    }),
  );
}

function endOf(error: unknown): AuthorizationEnd {
  if (!isExchangeError(error)) return { type: 'later' };
  if (isLasting(error)) return { type: 'failed', error };
  const retryAfterMs = error.kind === 'rate-limited' || error.kind === 'unavailable' ? error.retryAfterMs : undefined;
  return { type: 'later', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** Whether the credentials, their permissions or the request itself are the reason: the same request would fail again. */
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
