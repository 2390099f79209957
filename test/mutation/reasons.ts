// Why a line may be changed without a test that notices, by file and line.
import type { Mutant } from './results.js';

const compiler = 'It tells the compiler what those who call it have seen to.';
const said = 'How it is said is not promised; that it is, is tested.';
const work = 'It saves work; without, the same comes of it.';
const redis = 'Only where limits are shared over Redis is it otherwise.';
const later = 'A test of it was added after this run.';
const several = 'A rule about several fields holds where one of them is none, which is refused for that.';
const compared = 'It was never compared, and is gone since this run.';
const bottleneck = 'Bottleneck has never been seen to fail.';

const reasons: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'src/auth/nonces.ts': {
    'const stretch = used.find(({ last }) => nonce > last && nonce - last <= longestGapMs);':
      'A nonce that is allocated is never the last of a stretch; and whether a gap of exactly 10 s ends a stretch is not promised.',
    'if (used.length > mostStretches) used.shift();':
      'It bounds memory. A clock that is set sixteen times is as good as forgotten.',
  },
  'src/attempt.ts': {
    'if (hadToWait && performance.now() - askedAt >= leastWaitMs) attempt.emit(waited());':
      'How short a wait is not told of is not promised.',
    'attempt.onSent?.(nonce);': 'No test here sends what nobody wants to know of.',
    'if (settled) return;': 'Nobody listens any more.',
    "const shown = nonce === undefined ? Number.NaN : parseHttpDate(answer.headers.get('date') ?? '');":
      'Any text that is no date is read as none.',
    'if (!Number.isNaN(shown)) context.clock.learn({ shown, resolutionMs: dateResolutionMs, ...seen });': work,
    'const unread = () => new ResponseError(`HTTP ${status} with an answer that the endpoint fails at`, status, undefined, endpoint.name, error);':
      said,
    'if (time !== undefined) context.clock.learn({ shown: time * 1000, resolutionMs: timeResolutionMs, ...seen });':
      work,
  },
  'src/auth/exchange-clock.ts': {
    'if (!Number.isFinite(shown)) return;': later,
    'this.#absurd = Math.abs(least) > longestOffsetMs ? least : Number.NaN;': later,
    'if (!Number.isNaN(this.#absurd) && !(Math.abs(least - saidBefore) <= sameOffsetMs)) return;': later,
    'const longestOffsetMs = 366 * 24 * 60 * 60 * 1000;': later,
  },
  'src/absence-proof.ts': {
    'return this.#historyLagMs === 0 || look.begunAt >= this.#first.endedAt + this.#historyLagMs;':
      'It takes a look more, where one was enough.',
  },
  'src/check-request.ts': {
    'const about = issue.path === undefined ? issue.input : issue.path.at(-1)?.value;': compiler,
  },
  'src/endpoints/spot/look-up-order.ts': {
    'const undecided = (endpoint: Endpoint, what: string) => throwError(() => new ResponseError(`HTTP 200 ${what}`, 200, undefined, endpoint.name));':
      later,
    "return orders.length === 0 ? EMPTY : undecided(openOrders, 'with open orders that may be it');": later,
    'const areOthers = orders.length > 0 && orders.length < page && orders.every(isEarlier);': later,
    "return areOthers ? EMPTY : undecided(orderHistory, 'with a history that does not tell whether it is in it');":
      later,
    'const isSeconds = timestamp > 1e9 && timestamp < 1e11;':
      'A test of what is far from it was added after this run; no order is of 2001, or of 5138.',
  },
  'src/attempts.ts': {
    'if (!isExchangeError(error)) return;':
      'It tells the compiler what those who call it have seen to: no other error is repeated.',
  },
  'src/order-calls.ts': {
    'if (!(error instanceof ApiError)) return false;':
      'Whatever else an order is refused with after it was sent again has no fields that are named.',
    'const earlier = { sentAt: 0, sentAtExchange: 0, executableUntil: clock.now() + longestMs, executableUntilLocal: clock.local() + longestMs };':
      'Either bound is enough while the clocks agree; test/absence-proof.test.ts has them differ.',
    'return oneOrder({ ...road, canProveAbsence, send: () => EMPTY, isIdentified: () => true, retryAfterMs: () => undefined }, earlier);':
      'Nothing is ever sent by it.',
    '#lookingUp<Output>(endpoint: string, lookUp: OrderLookup<Output> | undefined, key: OrderKey, { timeoutMs, callTimeoutMs }: CallLimits, isGenerated = false) {':
      'What is resumed is looked for since the beginning of time, either way.',
    'this.#allIdentifiersAreTaken &&= isIdentified;': later,
    'if (!isGenerated) this.#identifiers.tell(order, orderIdOf(placed));':
      'It saves memory: an identifier that was made for an order is never used again.',
    "const cause = new TransportError(`there is none in ${market} with the identifier ${client_order_id}, and none can come`, { endpoint, outcome: 'not-sent' });":
      'What is told is the error around it: that there is none, and where, is tested.',
    "return throwError(() => new TransportError('an earlier order of its identifier is there', { endpoint, outcome: 'unknown' }));":
      'It is a look-up that told nothing: the order goes on being looked for, and ends with an outcome of its own.',
    'readClock: () => lookUp?.readClock(call) ?? EMPTY,': compiler,
    "return new TransportError(`what is done before an order failed: ${error.message}`, { endpoint, outcome: 'not-sent', cause: error });":
      said,
    "return error.reason === 'client-order-id' || 'clientOrderId' in error.errors || 'client_order_id' in error.errors;":
      later,
    "if (failure instanceof RequestError) return !failure.issues.some(({ field }) => field === 'nonce');":
      'No test here leaves a look-up without a nonce.',
    'const policy: RetryOptions = options.retry === false || options.retry === undefined ? {} : options.retry;':
      'A client that repeats nothing does not ask the policy.',
    "return typeof value === 'object' && value !== null;": 'A text or a number has no `client_order_id` either.',
  },
  'src/session.ts': {
    'const fetch = options.fetch ?? leanFetch({ connections: maxInFlight, connectTimeoutMs });':
      'Tested over real connections, in test/http, which take too long here.',
    'const budget = new RetryBudget(policy === false ? {} : policy.budget);':
      'A client that repeats nothing does not ask the budget.',
    'const retried = { ...(policy === false ? {} : policy), when: repeatedAfter(endpoint.safety), budget, onRetry };':
      'A client that repeats nothing does not ask the policy.',
    "resumeOrder: (lookUp, key) => orders.resume(lookUp, key, callLimits({ name: 'resumeOrder' }, {}, options)),":
      'Bad bounds of a client were refused, under its name, when it was made.',
  },
  'src/operators/retry-on-503.ts': {
    'if (error instanceof UnavailableError) onRetry?.({ ...retry, error });':
      'It tells the compiler what `when` has seen to.',
  },
  'src/one-order.ts': {
    "cause = new TransportError('an order of its identifier is there, though it was nowhere', { endpoint, outcome: 'unknown', cause: error });":
      said,
  },
  'src/scheduler/check-options.ts': {
    'for (const [name, limit] of Object.entries(limits)) if (limit !== undefined) issues.push(...limitIssues(`limits.${name}`, limit));':
      compiler,
    [`if (!hasRedisClient()) issues.push({ field: 'redis', message: 'needs the package "ioredis": npm install ioredis@5' });`]:
      'The package is there in these tests; test/e2e/package.test.ts runs without it.',
  },
  'src/scheduler/closure.ts': {
    'const wasOpening = this.allowed(now) < this.#limit;': 'As much as the limit is allowed only when all is.',
  },
  'src/scheduler/forget.ts': {
    'return windowMs + Math.max(leastGuardMs, windowMs * guardShare);': later,
  },
  'src/scheduler/in-flight.ts': {
    'if (clients === undefined) wire.#waiting.set(group, new Set([this]));': later,
    'if (this.#waiting.size === 0) return;': work,
  },
  'src/scheduler/leases.ts': {
    "this.#hold(lease.weight, lease.takenAt, 'held');": 'It is neither of the two places that permits are put in.',
    'return (this.#terms.permits ?? Number.POSITIVE_INFINITY) - this.#weight - this.#asked.hand - this.#asked.cover;':
      'Leases are replaced only where limits are shared, and there this bound is not.',
    'if (stale === 0) return;': work,
    'if (oldest === undefined) break;': compiler,
    'if (oldest.count === 0) this.#batches.shift();': work,
    'if (this.#terms.usableMs !== undefined) this.#putStaleBack();': work,
    'while (lasting + this.#asked.hand < enough && this.#asked.leases < mostLeasesAsked) {':
      'How much is asked for is bounded by the next line, too.',
    'return usableMs === undefined ? this.#hand.count : this.#hand.countUsableAt(performance.now() + renewMs);': work,
    'if (count === 0) return;': work,
    'const last = this.#batches.at(-1);': 'Batches are joined to be few.',
    'if (last?.usableUntil === usableUntil) last.count += count;': later,
  },
  'src/scheduler/limited-group.ts': {
    'if (client.room > 0 && (next === undefined || byTurn(first, next, among) < 0)) next = first;':
      'Two never came at once. A test of turns over several clients was added after this run.',
    'for (const leases of reserve === undefined ? [main] : [main, reserve]) {': later,
    'this.#used += leases.out;': later,
    'if (queued.place === undefined) return () => undefined;': 'To leave the line once more does nothing.',
    'return this.#waiting.get(client)?.first()?.waiter;': compiler,
    'else if (queued.expiry !== undefined && queued.expiresAt <= performance.now()) this.#expire(queued);':
      'At that moment its timer fires.',
    'if (first === undefined) continue;': compiler,
    'this.#source?.announceClosed(ms);': redis,
    'if (place === undefined || line === undefined) return false;': compiler,
    'if (this.#waiting.size === 0) this.#rest();': later,
    'if (this.#leave(queued)) subscriber.error(new ExpiredError(endpoint, this.terms.name, expiresInMs));':
      'One that has left is not listened to any more.',
    'sendable += Math.min(line.length, client.room);':
      'It asks for more than can be used at once, which is given back.',
    'if (line.length > client.room) client.await(this);': work,
    'this.#source?.check();': redis,
    'if (this.#waiting.size === 0) return;': work,
    'if (source === undefined) return;': redis,
    'const isOpen = this.#closure.allowed(performance.now()) > this.#used;':
      'It asks for permits early or late; what may be granted is decided elsewhere.',
  },
  'src/scheduler/permit-source.ts': {
    'export function localSource({ limit, reserved }: PermitTerms, onGrant: () => void, startTaken = false): PermitSource {':
      redis,
    'localLimiter(permits, () => {': bottleneck,
    'failed = true;': bottleneck,
    'let failed = false;': 'The limiter is replaced once for nothing.',
    'failed = false;': 'The limiter is replaced for nothing.',
    'const inHand = Math.min(permits, alone.mostInHand, Math.max(leaseSizes.inHand, Math.floor(permits / alone.inHandShare)));':
      'How many are in hand changes what a burst costs, not what it may do.',
    'const leases = new Leases(limiter(permits), { size: Math.min(alone.size, permits), inHand, permits }, onGrant);':
      'How large leases are changes their cost.',
    'const reserve = reserved === 0 ? undefined : open(reserved);': 'A reserve of none grants nothing.',
    'free: () => limit - main.out - (reserve?.out ?? 0),': later,
    'if (clock.step() >= 0 && !failed) return;': 'The limiter is replaced for nothing.',
    'const limiter = new Bottleneck({ maxConcurrent: permits });':
      'Alone, a process asks for no more leases than there are permits: two bounds, of which one holds.',
    "limiter.on('error', onFailure);": bottleneck,
    'limiter.schedule({ weight, priority: first ? 0 : 5 }, () => job(performance.now())).catch(onFailure);':
      'Bottleneck has never been seen to fail; a lease of no weight is bounded as above.',
  },
  'src/scheduler/scheduler.ts': {
    "const { limits = {}, urgentShare = 0.02, maxQueued = {}, lateArrivalMs = 10_000, startTaken = false, redis, whenRedisIsDown = 'wait' } = options;":
      redis,
    'const cluster = redis === undefined ? undefined : new Cluster(redis, whenRedisIsDown, report);': redis,
    'if (cluster === undefined) useLocal(opened);': redis,
    'if (startTaken) group.assumeSent(source);': 'Nothing is out at the start otherwise.',
    'arrivals += 1;': later,
  },
  'src/operators/abort.ts': {
    "signal.addEventListener('abort', abort, { once: true });": compared,
    'settled = true;': later,
  },
  'src/operators/poll.ts': {
    "if (typeof everyMs === 'number') checkDuration('poll', 'everyMs', everyMs);": later,
    'return merge(timer(pauseMs), refreshed$, isPaused.pipe(filter((paused) => paused)));': later,
  },
  'src/operators/retry-with.ts': {
    'const askedMs = error instanceof UnavailableError || error instanceof RateLimitedError ? (error.retryAfterMs ?? 0) : 0;':
      later,
  },
  'src/operators/to-async-iterable.ts': {
    "export function toAsyncIterable<T>(source: Observable<T>, { keep = 'all' }: ToAsyncIterableOptions = {}): AsyncValues<T> {":
      compared,
    'subscription?.unsubscribe();': later,
  },
  'src/operators/while-down.ts': {
    "else subscriber.error(new ExchangeDownError('pauseWhileDown', `${reason ?? 'for now'}; ${most} values wait already`));":
      later,
    "export function whenUp<T>(health$: Observable<Availability>, { whileDown = 'wait' }: WhenUpOptions = {}): MonoTypeOperatorFunction<T> {":
      compared,
    "{ keep = 'all', most = 1000 }: PauseWhileDownOptions = {},": compared,
    "checkCount('pauseWhileDown', 'most', most);": later,
    "let reason: string | undefined = 'its health is not known yet';": later,
    'if (subscriber.closed) return;': later,
  },
  'src/endpoints/all-items.ts': {
    "const tooMany = () => new RequestError(endpoint, [{ field: 'offset', message: `cannot be above ${largestOffset}, and there may be more` }]);":
      said,
    'if (offset > largestOffset) return throwError(tooMany);': 'The list refuses such an offset, too, in other words.',
    'const isLast = data.length === 0 || data.length < limit;': 'One page more is read, and is empty.',
  },
  'src/endpoints/fields.ts': {
    'export function oneOf<const Values extends readonly (string | number)[]>(values: Values) {':
      'Nothing can be loaded then, which is not counted as a test that fails.',
  },
  'src/endpoints/collateral/place-limit-order.ts': {
    "[['ioc'], ['postOnly'], ['rpi']],": several,
    "[['reduceOnly'], ['stopLoss'], ['takeProfit']],": several,
  },
  'src/endpoints/spot/cancel-order.ts': { "[['order_id'], ['client_order_id']],": several },
  'src/endpoints/spot/open-orders.ts': { "[['market'], ['order_id'], ['client_order_id']],": several },
  'src/endpoints/spot/order-history.ts': {
    "[['startDate'], ['endDate']],": several,
    'v.pipe(v.strictTuple([]), v.transform((): Record<string, Record<string, unknown>[]> => ({}))),': later,
  },
};

export function reasonOf({ file, code }: Mutant): string {
  return reasons[file]?.[code] ?? 'Not looked at yet.';
}
