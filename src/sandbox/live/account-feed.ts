// The events of accounts on their way to the connections that follow them, with the faults that they meet.
import type { AccountEvent } from '../engine/index.js';
import { struckBy, type LiveFault, type LiveFaultKind } from './live-fault.js';
import type { LiveConnection, LiveState } from './live-connection.js';

interface Waiting {
  readonly event: AccountEvent;
  /** The channel without it. */
  readonly lostIn?: string | undefined;
}

const defaultLagMs = 1000;

export class AccountFeed {
  readonly #waiting: Waiting[] = [];
  /** Deals that come after the next event of their order. */
  readonly #held = new Map<number, Waiting[]>();
  #isCatchingUp = false;

  constructor(
    private readonly shared: LiveState,
    private readonly followers: () => readonly LiveConnection[],
  ) {
    shared.state.engine.accountEvents.onEvent = (event) => {
      this.#add(event);
    };
  }

  flush(): void {
    if (this.followers().length > 0) {
      this.#isCatchingUp = true;
      this.shared.state.engine.advance();
      this.#isCatchingUp = false;
    }
    for (const { event, lostIn } of this.#waiting.splice(0))
      for (const follower of this.followers())
        follower.send(follower.pushesOf(event).filter(({ channel }) => channel !== lostIn));
  }

  #add(event: AccountEvent): void {
    if (event.kind === 'order')
      this.shared.record.orderEvents.push({ at: event.at, event: event.event, order: event.order });
    const following = this.followers().filter((follower) => follower.pushesOf(event).length > 0);
    const fault = following.length === 0 ? undefined : this.#faultOf(event, following);
    if (fault !== undefined && struckBy(fault.kind) === 'connection') following[0]?.suffer(fault);
    if (fault?.kind === 'history-lag' && event.kind !== 'position')
      this.shared.state.history.hide(event.kind === 'deal' ? event.fill : event.order, fault.delayMs ?? defaultLagMs);
    if (fault?.kind === 'order-before-deal' && event.kind === 'deal') {
      const { order_id } = event.fill;
      this.#held.set(order_id, [...(this.#held.get(order_id) ?? []), { event }]);
      return;
    }
    const isLost = fault?.kind === 'silent-loss' || fault?.kind === 'collapse';
    // Nothing waits for a later subscription.
    if (following.length > 0 && (!isLost || fault.channel !== undefined))
      this.#waiting.push({ event, lostIn: isLost ? fault.channel : undefined });
    if (event.kind === 'order') {
      const { order_id } = event.order;
      this.#waiting.push(...(this.#held.get(order_id) ?? []));
      this.#held.delete(order_id);
    }
    // The engine is in the middle of the event.
    if (fault?.kind === 'event-before-response')
      queueMicrotask(() => {
        this.flush();
      });
  }

  #faultOf(event: AccountEvent, following: readonly LiveConnection[]): LiveFault | undefined {
    const channels = new Set(following.flatMap((follower) => follower.pushesOf(event)).map(({ channel }) => channel));
    return this.shared.faults.take('event', {
      allows: (kind) => this.#allows(event, kind),
      concerns: ({ channel, market }) =>
        (channel === undefined || channels.has(channel)) && (market === undefined || market === event.market),
    });
  }

  #allows(event: AccountEvent, kind: LiveFaultKind): boolean {
    if (event.kind === 'position') return kind === 'silent-loss';
    if (kind === 'silent-loss') return true;
    if (kind === 'event-before-response') return !this.#isCatchingUp;
    if (kind === 'collapse') return event.kind === 'order' && event.event === 2;
    if (kind === 'order-before-deal') return event.kind === 'deal';
    return kind === 'history-lag' && (event.kind === 'deal' || event.event === 3);
  }
}
