// The events of accounts on their way to the connections that follow them, with the faults that they meet.
import type { AccountEvent, AccountEvents } from '../engine/index.js';
import type { HistoryLag } from '../history-lag.js';
import type { Push } from './envelope.js';
import { struckBy, type LiveFault, type LiveFaultKind } from './live-fault.js';
import type { FaultTarget, LiveFaults } from './live-faults.js';
import type { LiveRecord } from './live-record.js';

export interface Follower {
  readonly pushesOf: (event: AccountEvent) => readonly Push[];
  readonly send: (pushes: readonly Push[]) => void;
  readonly suffer: (fault: LiveFault) => void;
}

interface AccountFeedParts {
  readonly events: AccountEvents;
  readonly faults: LiveFaults;
  readonly history: HistoryLag;
  readonly record: LiveRecord;
  readonly followers: () => readonly Follower[];
  readonly catchUp: () => void;
}

interface Waiting {
  readonly event: AccountEvent;
  readonly lostIn?: string | undefined;
}

const defaultLagMs = 1000;

export class AccountFeed {
  #waiting: Waiting[] = [];
  /** Deals that come after the next event of their order. */
  readonly #held = new Map<number, Waiting[]>();
  #isCatchingUp = false;

  constructor(private readonly parts: AccountFeedParts) {
    parts.events.onEvent = (event) => {
      this.#add(event);
    };
  }

  flush(): void {
    const { followers, catchUp } = this.parts;
    if (followers().length > 0) {
      this.#isCatchingUp = true;
      catchUp();
      this.#isCatchingUp = false;
    }
    const events = this.#waiting;
    this.#waiting = [];
    for (const { event, lostIn } of events) {
      for (const follower of followers())
        follower.send(follower.pushesOf(event).filter(({ channel }) => channel !== lostIn));
    }
  }

  #add(event: AccountEvent): void {
    const { faults, record, followers } = this.parts;
    record.event(event);
    const following = followers().filter((follower) => follower.pushesOf(event).length > 0);
    const fault = following.length === 0 ? undefined : faults.take(this.#target(event, following));
    if (fault !== undefined && struckBy(fault.kind) === 'connection') following[0]?.suffer(fault);
    if (fault?.kind === 'history-lag') this.#hide(event, fault.delayMs ?? defaultLagMs);
    if (fault?.kind === 'order-before-deal' && event.kind === 'deal') {
      const { order_id } = event.fill;
      this.#held.set(order_id, [...(this.#held.get(order_id) ?? []), { event }]);
      return;
    }
    const isLost = fault?.kind === 'silent-loss' || fault?.kind === 'collapse';
    // Nothing waits for a later subscription.
    if (following.length > 0 && (!isLost || fault.channel !== undefined))
      this.#waiting.push({ event, ...(isLost ? { lostIn: fault.channel } : {}) });
    if (event.kind === 'order') this.#release(event.order.order_id);
    // The engine is in the middle of the event.
    if (fault?.kind === 'event-before-response')
      queueMicrotask(() => {
        this.flush();
      });
  }

  #release(order_id: number): void {
    this.#waiting.push(...(this.#held.get(order_id) ?? []));
    this.#held.delete(order_id);
  }

  #hide(event: AccountEvent, ms: number): void {
    if (event.kind === 'deal') this.parts.history.hideDeal(event.fill, ms);
    else if (event.kind === 'order') this.parts.history.hideOrder(event.order, ms);
  }

  #target(event: AccountEvent, following: readonly Follower[]): FaultTarget {
    const channels = new Set(following.flatMap((follower) => follower.pushesOf(event)).map(({ channel }) => channel));
    return {
      allows: (kind) => this.#allows(event, kind),
      concerns: ({ channel, market }) =>
        (channel === undefined || channels.has(channel)) && (market === undefined || market === event.market),
    };
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
