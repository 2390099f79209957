// The messages of one connection on their way to the client, with the faults that they meet.
import type { Clock } from '../clock.js';
import { printed, type Push, pushMessage } from './envelope.js';
import { type LiveFault, struckBy } from './live-fault.js';
import type { LiveFaults, Restriction } from './live-faults.js';

/** The connection: it sends what the outbox lets through, and suffers the faults that are its own. */
interface Recipient {
  sendText(text: string): void;
  suffer(fault: LiveFault): void;
}

export class Outbox {
  readonly #muted: Restriction[] = [];
  /** Messages that come after the next one, by channel and market. */
  readonly #held = new Map<string, Push>();

  constructor(
    private readonly recipient: Recipient,
    private readonly faults: LiveFaults,
    private readonly clock: Clock,
  ) {}

  mute(restriction: Restriction): void {
    this.#muted.push(restriction);
  }

  push(push: Push): void {
    if (this.#muted.some((restriction) => concerns(push, restriction))) return;
    const fault = this.faults.take({
      allows: (kind) => struckBy(kind) === 'message',
      concerns: (restriction) => concerns(push, restriction),
    });
    const key = `${push.channel} ${push.market ?? ''}`;
    const held = this.#held.get(key);
    this.#held.delete(key);
    if (fault?.kind === 'reorder') this.#held.set(key, push);
    else this.#sendWith(fault, textOf(push));
    if (held !== undefined) this.recipient.sendText(textOf(held));
  }

  #sendWith(fault: LiveFault | undefined, text: string): void {
    const { recipient } = this;
    const { kind, delayMs = 1000 } = fault ?? {};
    if (fault !== undefined && struckBy(fault.kind) === 'connection') recipient.suffer(fault);
    if (kind === 'drop' || kind === 'mute') return;
    if (kind === 'delay')
      this.clock.after(delayMs, () => {
        recipient.sendText(text);
      });
    else recipient.sendText(kind === 'corrupt' ? text.slice(0, text.length / 2) : text);
    if (kind === 'duplicate') recipient.sendText(text);
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
