// Injected faults that wait to be met, in the order of injection: over REST and on the real-time interface.

export class PendingFaults<Fault extends { readonly times?: number }> {
  #injected: { readonly fault: Fault; remaining: number }[] = [];

  add(fault: Fault): void {
    this.#injected.push({ fault, remaining: fault.times ?? 1 });
  }

  get pending(): (Fault & { readonly remaining: number })[] {
    return this.#injected.map(({ fault, remaining }) => ({ ...fault, remaining }));
  }

  /** The first one that matches, which counts as met once. */
  take(matches: (fault: Fault) => boolean): Fault | undefined {
    const next = this.#injected.find(({ fault }) => matches(fault));
    if (next === undefined) return undefined;
    next.remaining -= 1;
    if (next.remaining === 0) this.#injected = this.#injected.filter((one) => one !== next);
    return next.fault;
  }
}
