// Runs a call: gives what happens to `after`, and does what it says. It decides nothing.
import { concat, Observable, Subscription, take, timer } from 'rxjs';
import type { Observer, Subscriber, Unsubscribable } from 'rxjs';
import { Attempt, type AttemptObserver } from './attempt.js';
import type { Call } from './call.js';
import { abortedError, after, outcomeOfEnd } from './after.js';
import { isStep, noKeeper, nothingKnown, type Effect, type Event, type Hold, type Keeper } from './change.js';
import type { Moment, Premises, Question, Sent, State } from './change.js';
import type { Endpoint } from '../endpoint/index.js';
import { jitterOf } from './retries.js';
import { toExchangeError, type AnyExchangeError, type Outcome } from '../errors/index.js';

export type StartAttempt<Output> = (observer: AttemptObserver<Output>) => Startable;

interface Startable extends Unsubscribable {
  start(): void;
}

type RunningCall = Pick<
  Call<never>,
  'desk' | 'limits' | 'startedAt' | 'attempts' | 'about' | 'emit' | 'reportRetry'
> & {
  readonly endpoint: Pick<Endpoint, 'safety'>;
};

/** A call with its subscribers. Concurrent subscribers share it. */
export class Run<Output> implements AttemptObserver<Output> {
  readonly #call: RunningCall;
  readonly #premises: Premises;
  readonly #keeper: Keeper<Output>;
  readonly #start: StartAttempt<Output> | undefined;
  readonly #subscribers = new Set<Subscriber<Output>>();
  #state: State<Output>;
  #hold: Hold | undefined;
  #timer: NodeJS.Timeout | undefined;
  #aborting: Subscription | undefined;
  #step: Unsubscribable | undefined;
  /** Attempts of earlier subscriptions. */
  #attemptsBefore = 0;

  /** @param start starts a request; a lookup that the caller requested sends none */
  constructor(call: RunningCall, premises: Premises, keeper: Keeper<Output>, start?: StartAttempt<Output>) {
    this.#call = call;
    this.#premises = premises;
    this.#keeper = keeper;
    this.#start = start;
    this.#state = { at: 'idle', known: premises.known ?? nothingKnown };
  }

  /** The run of a call that sends its requests by itself. */
  static of<Output>(call: Call<Output>, premises: Premises, keeper: Keeper<Output>): Run<Output> {
    return new Run(call, premises, keeper, (observer) => new Attempt(call, observer));
  }

  /** All subscriptions are one change. */
  get output$(): Observable<Output> {
    return new Observable((subscriber) => {
      this.subscribe(subscriber);
    });
  }

  /** @param startedAt when the validity of the call begins, by `performance.now()` */
  subscribe(subscriber: Subscriber<Output>, startedAt = performance.now()): void {
    if (subscriber.closed) return;
    const { site } = this.#call.limits;
    if (site !== undefined) site.use.isSubscribed = true;
    this.#subscribers.add(subscriber);
    subscriber.add(() => {
      this.#unsubscribed(subscriber);
    });
    if (this.#hold !== undefined) return;
    const hold = this.#begin(subscriber);
    if (hold === undefined) return;
    this.#hold = hold;
    this.#call.startedAt = startedAt;
    this.#attemptsBefore = this.#call.attempts;
    const { callTimeoutMs, signal, aborted$ } = this.#call.limits;
    this.#aborting = aborted$?.subscribe(() => {
      this.#on({ is: 'aborted', reason: signal?.reason });
    });
    this.#on({ is: 'subscribed', now: startedAt });
    if (this.#hold !== hold) return;
    this.#timer = setTimeout(() => {
      this.#on({ is: 'timed out', afterMs: callTimeoutMs });
    }, callTimeoutMs);
  }

  #begin(subscriber: Subscriber<Output>): Hold | undefined {
    const { signal } = this.#call.limits;
    try {
      // A subscriber after the end only gets the result.
      if (this.#isOver) return noKeeper.begin(() => undefined);
      if (signal?.aborted === true) throw abortedError(this.#premises.endpoint, this.#outcome, signal.reason);
      return this.#keeper.begin((placedAt) => {
        this.#on({ is: 'pushed', placedAt });
      });
    } catch (error) {
      this.#subscribers.delete(subscriber);
      this.#fail([subscriber], this.#typed(error));
      return undefined;
    }
  }

  #unsubscribed(subscriber: Subscriber<Output>): void {
    const isLast = this.#subscribers.delete(subscriber) && this.#subscribers.size === 0;
    if (isLast && this.#hold !== undefined) this.#on({ is: 'unsubscribed' });
  }

  /**
   * A listener or a subscriber may subscribe or unsubscribe in any of these effects: then the others are over, but for
   * the end of those who were subscribed.
   */
  #on(event: Event<Output>): void {
    const before = this.#state;
    const [state, effects] = after(before, event, this.#premises);
    this.#state = state;
    const isEnd = state.at === 'idle' || this.#isOver;
    // A subscriber after the end gets the same result: the call has ended once.
    const endsNow = isEnd && this.#hold !== undefined && before.at !== 'done' && before.at !== 'failed';
    const subscribers = isEnd ? this.#endRun() : [];
    if (state.at !== before.at || effects.some(isStep)) this.#endStep();
    for (const effect of effects)
      if (effect.do !== 'emit' && effect.do !== 'fail' && this.#state === state) this.#do(effect);
    // The last effect is what the subscribers learn: then they may start another call.
    const last = effects.at(-1);
    if (endsNow) this.#reportEnd(last);
    if (last?.do === 'emit')
      for (const subscriber of subscribers) {
        subscriber.next(last.output);
        subscriber.complete();
      }
    else if (last?.do === 'fail') this.#fail(subscribers, last.error);
  }

  /** Before the step: aborting it may run a listener that subscribes again. */
  #endRun(): readonly Subscriber<Output>[] {
    const subscribers = [...this.#subscribers];
    this.#subscribers.clear();
    clearTimeout(this.#timer);
    this.#aborting?.unsubscribe();
    this.#hold?.end?.();
    this.#hold = undefined;
    return subscribers;
  }

  #reportEnd(last: Effect<Output> | undefined): void {
    const { limits, desk, startedAt, endpoint } = this.#call;
    if (limits.onEvent === undefined && !desk.journal.events.observed) return;
    const end = { ...this.#call.about(), safety: endpoint.safety, durationMs: performance.now() - startedAt };
    if (last?.do === 'emit') this.#call.emit({ type: 'end', ...end, result: 'ok' });
    else if (last?.do === 'fail') {
      const { kind, outcome } = last.error;
      this.#call.emit({ type: 'end', ...end, result: 'error', kind, outcome });
    } else this.#call.emit({ type: 'end', ...end, result: 'canceled', outcome: this.#outcome });
  }

  #endStep(): void {
    const step = this.#step;
    this.#step = undefined;
    step?.unsubscribe();
  }

  #do(effect: Exclude<Effect<Output>, { readonly do: 'emit' | 'fail' }>): void {
    switch (effect.do) {
      case 'send':
        this.#send();
        return;
      case 'judge':
        this.#judge(effect.sent);
        return;
      case 'ask':
        this.#ask(effect);
        return;
      case 'wait':
        this.#wait(effect);
        return;
      default:
        this.#keeper.note(effect);
    }
  }

  #send(): void {
    const { check$ } = this.#keeper;
    if (check$ === undefined) {
      this.#attempt();
      return;
    }
    this.#follow(check$, {
      complete: () => {
        this.#attempt();
      },
    });
  }

  #attempt(): void {
    const attempt = this.#start?.(this);
    // Before it starts: a listener may end it while it does.
    this.#step = attempt;
    attempt?.start();
  }

  onSent(sent: Sent): undefined {
    this.#on({ is: 'sent', sent });
  }

  onWithdrawn(error: AnyExchangeError): void {
    this.#on({ is: 'withdrawn', error });
  }

  onOutput(output: Output): void {
    // The attempt has ended.
    this.#step = undefined;
    this.#on({ is: 'answered', output });
  }

  onError(error: unknown): void {
    this.#on({ is: 'failed', error: this.#typed(error), ...this.#moment() });
  }

  #judge({ sentAt, acceptableUntil }: Sent): void {
    const { clock, reading$ } = this.#call.desk.identity;
    this.#follow(reading$, {
      complete: () => {
        const wasTooOld = (clock.atLeast(sentAt, sentAt) ?? Number.NEGATIVE_INFINITY) > acceptableUntil;
        this.#on({ is: 'judged', wasTooOld, ...this.#moment() });
      },
    });
  }

  #ask(question: Question): void {
    this.#follow(this.#keeper.ask(question).pipe(take(1)), {
      next: (answer) => {
        this.#on({ ...answer, ...this.#moment() });
      },
    });
  }

  #wait({ ms, error, readsClock, spends }: Extract<Effect<Output>, { readonly do: 'wait' }>): void {
    const { limits, desk } = this.#call;
    // An outage of polls empties the budget, and must not take the retries of a cancel.
    const isFree = !spends || limits.priority === 'urgent';
    if (this.#hold?.isCurrent() === false || (!isFree && !desk.bounds.budget.spend())) {
      this.#on({ is: 'denied' });
      return;
    }
    const state = this.#state;
    this.#call.reportRetry(error, ms);
    // A listener may have unsubscribed the call.
    if (this.#state !== state) return;
    this.#follow(readsClock ? concat(desk.identity.reading$, timer(ms)) : timer(ms), {
      next: () => {
        this.#on({ is: this.#hold?.isCurrent() === false ? 'denied' : 'due' });
      },
    });
  }

  /** Makes a source the step. Its failure is that of the step. */
  #follow<Value>(source$: Observable<Value>, observer: Partial<Observer<Value>>): void {
    const step = new Subscription();
    this.#step = step;
    startedIn(step, source$).subscribe({
      error: (error: unknown) => {
        this.onError(error);
      },
      ...observer,
    });
  }

  /** Later subscribers get the result, or the error. */
  get #isOver(): boolean {
    return this.#state.at === 'done' || this.#state.at === 'failed';
  }

  #moment(): Moment {
    return { now: performance.now(), jitter: jitterOf(this.#premises.limits.retryPolicy.random) };
  }

  #typed(error: unknown): AnyExchangeError {
    return toExchangeError(error, this.#premises.endpoint, this.#outcome);
  }

  /** Of a call that ends now. */
  get #outcome(): Outcome {
    const state = this.#state;
    return state.at === 'done' || state.at === 'failed'
      ? 'not-executed'
      : outcomeOfEnd(state.known, this.#premises.kind);
  }

  #fail(subscribers: readonly Subscriber<Output>[], error: AnyExchangeError): void {
    const { client_order_id } = this.#keeper;
    const { limits, desk } = this.#call;
    const failure = error.with({ client_order_id, calledFrom: limits.site, after: this.#effort() });
    for (const subscriber of subscribers) desk.errors.fail(subscriber, failure);
  }

  #effort(): string | undefined {
    const attempts = this.#call.attempts - this.#attemptsBefore;
    if (attempts <= 1) return undefined;
    return `after ${attempts} attempts in ${((performance.now() - this.#call.startedAt) / 1000).toFixed(1)} s`;
  }
}

/** Ends with `run`, from before it starts: a listener may end the run while it starts, or may have ended it. */
function startedIn<Value>(run: Subscription, source$: Observable<Value>): Observable<Value> {
  return new Observable((subscriber) => {
    run.add(subscriber);
    return source$.subscribe(subscriber);
  });
}
