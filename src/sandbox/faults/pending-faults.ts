// Injected faults that wait to be met, in the order of injection: over REST and on the real-time interface.

interface Injected<Fault> {
  readonly fault: Fault;
  remaining: number;
}

export class PendingFaults<Fault extends { readonly times?: number }> {
  /** Faults that were met stay in the list, because a request may restore them. */
  readonly #injected: Injected<Fault>[] = [];

  add(fault: Fault): void {
    this.#injected.push({ fault, remaining: fault.times ?? 1 });
  }

  get pending(): (Fault & { readonly remaining: number })[] {
    return this.#injected.flatMap(({ fault, remaining }) => (remaining > 0 ? [{ ...fault, remaining }] : []));
  }

  /** The first one that matches, which counts as met once; `restore` takes this back. */
  take(matches: (fault: Fault) => boolean): { readonly fault: Fault; readonly restore: () => void } | undefined {
    const next = this.#injected.find(({ fault, remaining }) => remaining > 0 && matches(fault));
    if (next === undefined) return undefined;
    next.remaining -= 1;
    return {
      fault: next.fault,
      restore: () => {
        next.remaining += 1;
      },
    };
  }
}
