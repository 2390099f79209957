// The messages of one connection on their way to the client, with the faults that they meet.
import type { Clock } from '../clock.js';
import { printed, type Push, pushMessage } from './envelope.js';
import {
  changedValues,
  type FaultTarget,
  type LiveFault,
  type LiveFaultKind,
  type LiveFaults,
  type Restriction,
  struckBy,
} from './faults/index.js';

interface OutboxParts {
  readonly clock: Clock;
  readonly faults: LiveFaults;
  readonly send: (text: string) => void;
  readonly suffer: (fault: LiveFault) => void;
}

/** The changes of a market that come again before the snapshot of a resubscription. */
const keptChanges = 3;

export class Outbox {
  readonly #muted: Restriction[] = [];
  /** Messages that come after the next one, by channel and market. */
  readonly #held = new Map<string, Push[]>();
  readonly #snapshotsOnly = new Set<string>();
  readonly #changes = new Map<string, Push[]>();

  constructor(private readonly parts: OutboxParts) {}

  mute(restriction: Restriction): void {
    this.#muted.push(restriction);
  }

  push(push: Push): void {
    if (this.#muted.some((restriction) => concerns(push, restriction)) || this.#isLostChange(push)) return;
    const former = this.#formerChanges(push);
    const fault = this.parts.faults.take(this.#target(push, former));
    const held = this.#take(push);
    if (fault === undefined) this.#emit(push);
    else this.#pushWith(fault, push, former);
    for (const late of held) this.#emit(late);
    this.#remember(push);
  }

  #pushWith(fault: LiveFault, push: Push, former: readonly Push[]): void {
    const { kind, delayMs = 1000 } = fault;
    if (struckBy(kind) === 'connection') {
      this.parts.suffer(fault);
      if (kind !== 'mute') this.#emit(push);
    } else if (kind === 'snapshot-only') this.#snapshotsOnly.add(push.market ?? '');
    else if (kind === 'reorder') this.#held.set(keyOf(push), [push]);
    else if (kind === 'delay')
      this.parts.clock.after(delayMs, () => {
        this.#emit(push);
      });
    else if (kind !== 'drop') for (const text of this.#textsWith(kind, push, former)) this.parts.send(text);
  }

  #textsWith(kind: LiveFaultKind, push: Push, former: readonly Push[]): readonly string[] {
    const text = textOf(push);
    if (kind === 'duplicate') return [text, text];
    if (kind === 'corrupt') return [text.slice(0, text.length / 2)];
    if (kind === 'old-stream') return [...former, push].map(textOf);
    return changedValues(kind, push)?.map(textOf) ?? [text];
  }

  #target(push: Push, former: readonly Push[]): FaultTarget {
    return {
      allows: (kind) => {
        if (kind === 'old-stream') return former.length > 0;
        if (kind === 'snapshot-only') return isChange(push);
        if (struckBy(kind) === 'message') return true;
        return changedValues(kind, push) !== undefined;
      },
      concerns: (restriction) => concerns(push, restriction),
    };
  }

  #emit(push: Push): void {
    this.parts.send(textOf(push));
  }

  #isLostChange(push: Push): boolean {
    return isChange(push) && this.#snapshotsOnly.has(push.market ?? '');
  }

  #take(push: Push): readonly Push[] {
    const held = this.#held.get(keyOf(push)) ?? [];
    this.#held.delete(keyOf(push));
    return held;
  }

  /** At a snapshot: the changes before it. */
  #formerChanges({ depth, market = '' }: Push): readonly Push[] {
    return depth?.isFull === true ? (this.#changes.get(market) ?? []) : [];
  }

  #remember(push: Push): void {
    if (!isChange(push)) return;
    const { market = '' } = push;
    this.#changes.set(market, [...(this.#changes.get(market) ?? []), push].slice(-keptChanges));
  }
}

function isChange({ depth }: Push): boolean {
  return depth?.isFull === false;
}

function concerns({ channel, market }: Push, restriction: Restriction): boolean {
  return (
    (restriction.channel === undefined || restriction.channel === channel) &&
    (restriction.market === undefined || restriction.market === market)
  );
}

function keyOf({ channel, market = '' }: Push): string {
  return `${channel} ${market}`;
}

function textOf(push: Push): string {
  return printed(pushMessage(push));
}
