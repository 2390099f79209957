// One part of a shared limit: the permits for all requests, or the reserve for urgent ones. Redis grants its leases first,
// and then Bottleneck.
import { Leases, type LeaseLimiter, type LeaseTerms } from '../leases.js';
import { localLimiter } from '../permit-source.js';
import type { Claim, Share } from './division.js';

interface PartHooks {
  readonly onChange: () => void;
  readonly onGrant: () => void;
  readonly onFailure: () => void;
  readonly termsOf: (permitsNow: () => number) => LeaseTerms;
}

/** The permits for all requests, or the reserve for urgent ones. */
export class Part {
  readonly name: Claim['part'];
  /** The permits of this process's own limit. */
  readonly own: number;
  readonly leases: Leases;
  readonly #hooks: PartHooks;
  /** The lowest number of permits that a process claims. */
  permits: number;
  free = 0;
  #granted: GrantedLeases;
  #claimed = 0;

  constructor(name: Claim['part'], own: number, hooks: PartHooks) {
    this.name = name;
    this.own = own;
    this.permits = own;
    this.#hooks = hooks;
    this.#granted = this.#open();
    this.leases = new Leases(
      this.#granted,
      hooks.termsOf(() => this.permits),
      hooks.onGrant,
    );
  }

  get held(): number {
    return this.#granted.held - this.leases.spare;
  }

  get wanted(): number {
    return this.#granted.wanted;
  }

  get hasChanged(): boolean {
    return this.wanted > 0 || this.held !== this.#claimed;
  }

  claim(): { readonly held: number; readonly wanted: number } {
    this.#claimed = this.held;
    return { held: this.held, wanted: this.wanted };
  }

  grant({ granted, permits, free }: Share): void {
    this.permits = Math.min(this.own, permits);
    this.free = free;
    this.#claimed += granted;
    this.#granted.grant(granted);
  }

  /** Keeps only the permits that are out. */
  dropHand(): void {
    if (this.wanted > 0 || this.held !== this.leases.out) this.restart();
  }

  /** Keeps only the permits that are out, with another Bottleneck. */
  restart(): void {
    this.#granted = this.#open();
    this.leases.replaceLimiter(this.#granted);
  }

  #open(): GrantedLeases {
    const { onChange, onFailure } = this.#hooks;
    return new GrantedLeases(localLimiter(this.own, onFailure), onChange);
  }
}

interface WantedLease {
  readonly weight: number;
  readonly job: (granted: number) => Promise<void>;
}

/** Leases that Redis grants first, and then Bottleneck. */
class GrantedLeases implements LeaseLimiter {
  readonly #bottleneck: LeaseLimiter;
  readonly #onChange: () => void;
  readonly #wanted: WantedLease[] = [];
  /** Permits that Redis has granted, and that were not put back. */
  held = 0;

  constructor(bottleneck: LeaseLimiter, onChange: () => void) {
    this.#bottleneck = bottleneck;
    this.#onChange = onChange;
  }

  get wanted(): number {
    return this.#wanted.reduce((sum, { weight }) => sum + weight, 0);
  }

  schedule({ weight, first }: { readonly weight: number; readonly first: boolean }, job: WantedLease['job']): void {
    if (first) {
      this.#start(weight, first, job);
      return;
    }
    this.#wanted.push({ weight, job });
    this.#onChange();
  }

  /** Starts the leases that waited longest. */
  grant(permits: number): void {
    for (let left = permits; left > 0;) {
      const next = this.#wanted.shift();
      if (next === undefined) return;
      const weight = Math.min(next.weight, left);
      left -= weight;
      this.#start(weight, false, next.job);
    }
  }

  #start(weight: number, first: boolean, job: WantedLease['job']): void {
    this.held += weight;
    this.#bottleneck.schedule({ weight, first }, async () => {
      await job(weight);
      this.held -= weight;
      this.#onChange();
    });
  }
}
