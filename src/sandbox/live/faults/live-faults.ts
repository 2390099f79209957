// Which fault each connection, request and message of the real-time interface meets: the injected ones in order.
import type { Clock } from '../../clock.js';
import type { LiveFault, PendingLiveFault } from './live-fault.js';

/** What a fault can be restricted to. */
export interface FaultTarget {
  /** The subscribed markets. */
  marketsOf(channel: string): readonly string[];
}

interface Injected {
  readonly fault: LiveFault;
  isReady: boolean;
  remaining: number;
}

export class LiveFaults {
  /** Called when a fault can occur: open connections meet it at once. */
  onReady: () => void = () => undefined;
  readonly #injected: Injected[] = [];

  constructor(private readonly clock: Clock) {}

  add(fault: LiveFault): void {
    const { times = 1, afterMs = 0 } = fault;
    const injected = { fault, isReady: afterMs === 0, remaining: times };
    this.#injected.push(injected);
    if (injected.isReady) this.onReady();
    else
      this.clock.after(afterMs, () => {
        injected.isReady = true;
        this.onReady();
      });
  }

  /** Faults that have not occurred as often as they should, in the order of injection. */
  get pending(): PendingLiveFault[] {
    return this.#injected.flatMap(({ fault, remaining }) => (remaining > 0 ? [{ ...fault, remaining }] : []));
  }

  /** The fault that an open connection meets, if any. */
  takeOfConnection(target: FaultTarget): LiveFault | undefined {
    const next = this.#injected.find(
      ({ fault, isReady, remaining }) => isReady && remaining > 0 && isSubscribed(target, fault),
    );
    if (next === undefined) return undefined;
    next.remaining -= 1;
    return next.fault;
  }
}

function isSubscribed(target: FaultTarget, { channel, market }: LiveFault): boolean {
  if (channel === undefined) return true;
  const markets = target.marketsOf(channel);
  return market === undefined ? markets.length > 0 : markets.includes(market);
}
