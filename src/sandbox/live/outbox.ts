// The messages of one connection on their way to the client, with the faults that they meet.
import type { Clock } from '../clock.js';
import { printed, type Push, pushMessage } from './envelope.js';
import { type LiveFault, struckBy } from './live-fault.js';
import type { LiveFaults, Restriction } from './live-faults.js';

interface OutboxParts {
  readonly clock: Clock;
  readonly faults: LiveFaults;
  readonly send: (text: string) => void;
  readonly suffer: (fault: LiveFault) => void;
}

export class Outbox {
  readonly #muted: Restriction[] = [];
  /** Messages that come after the next one, by channel and market. */
  readonly #held = new Map<string, Push>();

  constructor(private readonly parts: OutboxParts) {}

  mute(restriction: Restriction): void {
    this.#muted.push(restriction);
  }

  push(push: Push): void {
    if (this.#muted.some((restriction) => concerns(push, restriction))) return;
    const fault = this.parts.faults.take({
      allows: (kind) => struckBy(kind) === 'message',
      concerns: (restriction) => concerns(push, restriction),
    });
    const key = `${push.channel} ${push.market ?? ''}`;
    const held = this.#held.get(key);
    this.#held.delete(key);
    if (fault?.kind === 'reorder') this.#held.set(key, push);
    else this.#sendWith(fault, textOf(push));
    if (held !== undefined) this.parts.send(textOf(held));
  }

  #sendWith(fault: LiveFault | undefined, text: string): void {
    const { send, suffer, clock } = this.parts;
    const { kind, delayMs = 1000 } = fault ?? {};
    if (fault !== undefined && struckBy(fault.kind) === 'connection') suffer(fault);
    if (kind === 'drop' || kind === 'mute') return;
    if (kind === 'delay')
      clock.after(delayMs, () => {
        send(text);
      });
    else send(kind === 'corrupt' ? text.slice(0, text.length / 2) : text);
    if (kind === 'duplicate') send(text);
  }
}

function textOf(push: Push): string {
  return push.text ?? printed(pushMessage(push));
}

function concerns({ channel, market }: Push, restriction: Restriction): boolean {
  return (
    (restriction.channel === undefined || restriction.channel === channel) &&
    (restriction.market === undefined || restriction.market === market)
  );
}
