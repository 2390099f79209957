// Warns of calls that would change something and were never subscribed: they sent nothing.
import type { Observable } from 'rxjs';
import type { CallSite } from '../call/index.js';

interface OpenCall {
  /** Name of the endpoint. */
  readonly endpoint: string;
  readonly site: CallSite;
}

/** Node's events of a process, as far as they are used. */
export interface WarnedProcess {
  once(event: 'exit', listener: () => void): unknown;
  emit(event: 'warning', warning: Error): unknown;
}

/** The calls of a process that have no subscription yet. */
export class UnsubscribedCalls {
  readonly #process: WarnedProcess;
  readonly #open = new Set<OpenCall>();
  /** The places that a warning has named. */
  readonly #warned = new Set<string>();
  readonly #collected = new FinalizationRegistry<OpenCall>((call) => {
    this.#end(call);
  });
  #isWatching = false;

  constructor(warned: WarnedProcess) {
    this.#process = warned;
  }

  /**
   * Warns when the observable is garbage, or the process exits, before a subscription. An observable that the program
   * still holds may be subscribed later.
   */
  watch(call$: Observable<unknown>, endpoint: string, site: CallSite): void {
    const call: OpenCall = { endpoint, site };
    this.#open.add(call);
    site.onSubscribed = () => this.#open.delete(call);
    this.#collected.register(call$, call);
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#process.once('exit', () => {
      for (const open of this.#open) this.#end(open);
    });
  }

  #end(call: OpenCall): void {
    if (!this.#open.delete(call)) return;
    const { endpoint, site } = call;
    const { frames } = site;
    if (this.#warned.has(frames)) return;
    this.#warned.add(frames);
    const message = `${endpoint} was called and never subscribed, so no request was sent: subscribe to it, or call asPromises(exchange)`;
    const warning = Object.assign(new Error(message), { name: 'ExchangeRxWarning', code: 'EXCHANGE_RX_UNSUBSCRIBED' });
    warning.stack = `${warning.name}: ${message}\n${frames}`;
    // At once: what process.emitWarning() defers is lost while the process exits.
    this.#process.emit('warning', Object.assign(warning, { detail: frames.split('\n')[0] }));
  }
}
