// What the clients of one process share by default: the limits of an address, and the nonces of a key. The exchange
// counts both over all clients.
import type { RateLimit } from '../endpoint/index.js';
import type { NonceRange } from '../auth/index.js';
import { CallWarnings } from '../call/index.js';
import { RequestError } from '../errors/index.js';
import {
  checkNames,
  createScheduler,
  describeLimit,
  isSameLimit,
  limitOf,
  type LimitOverrides,
  type Scheduler,
} from '../scheduler/index.js';

interface Shared {
  /** By base address. */
  readonly schedulers: Map<string, { readonly scheduler: Scheduler; readonly limits: LimitOverrides }>;
  /** By base address and key. */
  readonly nonces: Map<string, NonceRange[]>;
}

/** RFC 2606. No exchange has such a name: the client's `fetch` responds for it, such as a sandbox in process. */
const reservedName = /(^|\.)(test|example|invalid|example\.(com|net|org))$/;

/**
 * What clients share that were made with the same base address: one scheduler, unless they are given another, and with
 * the same key the nonces. All clients of a process have one registry by default. Give a client another one when it
 * must not share, though its address is the same: one whose requests leave through a proxy, and so from another IP
 * address.
 *
 * For a reserved address (a sandbox in process, `https://exchange.example` in a test) clients share when
 * they have the same `fetch`, too.
 *
 * @example
 * ```ts
 * import { ClientRegistry, createExchange } from 'exchange-rx';
 *
 * const throughProxy = createExchange({ baseUrl: 'https://exchange.example', registry: new ClientRegistry() });
 * ```
 */
export class ClientRegistry {
  readonly #byAddress: Shared = { schedulers: new Map(), nonces: new Map() };
  readonly #bySender = new WeakMap<object, Shared>();

  /**
   * The scheduler of the address. Throws {@link RequestError} for limits of an unknown name, or that differ from those of
   * another client.
   *
   * @internal
   */
  scheduler(
    sentBy: object | undefined,
    baseUrl: string,
    limits: LimitOverrides | undefined,
    rateLimits: readonly RateLimit[],
  ): Scheduler {
    if (limits !== undefined) checkNames('createExchange', limits, rateLimits);
    const { schedulers } = this.#sharedOf(sentBy, baseUrl);
    const { limits: known, scheduler } = schedulers.get(baseUrl) ?? {
      limits: limits ?? {},
      scheduler: createScheduler({ limits: limits ?? {} }),
    };
    schedulers.set(baseUrl, { limits: known, scheduler });
    for (const rateLimit of rateLimits) {
      const [own, others] = [limitOf(rateLimit, limits ?? known), limitOf(rateLimit, known)];
      if (isSameLimit(own, others)) continue;
      const difference = `${describeLimit(own)} differs from another client's ${describeLimit(others)} for ${baseUrl}`;
      const message = `${difference} in this process: give both clients one scheduler`;
      throw new RequestError('createExchange', [{ field: `limits.${rateLimit.name}`, message }]);
    }
    return scheduler;
  }

  /**
   * The nonces of the key that were used at the address.
   *
   * @internal
   */
  usedNonces(sentBy: object | undefined, baseUrl: string, apiKey: string): NonceRange[] {
    const { nonces } = this.#sharedOf(sentBy, baseUrl);
    const key = `${baseUrl} ${apiKey}`;
    const used = nonces.get(key) ?? [];
    nonces.set(key, used);
    return used;
  }

  #sharedOf(sentBy: object | undefined, baseUrl: string): Shared {
    if (sentBy === undefined || !reservedName.test(new URL(baseUrl).hostname)) return this.#byAddress;
    const shared = this.#bySender.get(sentBy) ?? { schedulers: new Map(), nonces: new Map() };
    this.#bySender.set(sentBy, shared);
    return shared;
  }
}

/**
 * The registry of this process: the exchange counts the requests of all clients of a process, so clients share by
 * default. The option `registry` replaces it. It and {@link callWarnings} are the only state of the package that is
 * not passed in.
 */
export const processRegistry = new ClientRegistry();

/** Of all clients: a process has one listener of its exit. */
export const callWarnings = new CallWarnings(process);
