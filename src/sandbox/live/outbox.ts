// The messages of one connection on their way to the client, with the faults that they meet.
import type { Clock } from '../clock.js';
import { pushText, type ChannelPush } from './envelope.js';
import { struckBy, type LiveFault } from './live-fault.js';
import type { LiveFaults, Restriction } from './live-faults.js';

interface Recipient {
  sendText(text: string): void;
  suffer(fault: LiveFault): void;
}

export class Outbox {
  readonly #muted: Restriction[] = [];
  /** Messages that come after the next one, by channel and market. */
  readonly #held = new Map<string, string>();

  constructor(
    private readonly recipient: Recipient,
    private readonly faults: LiveFaults,
    private readonly clock: Clock,
  ) {}

  mute(restriction: Restriction): void {
    this.#muted.push(restriction);
  }

  /** @param fault what the request has met */
  respond(response: string, fault: LiveFault | undefined): void {
    this.#send(response, fault);
    this.#suffer(fault);
  }

  push(push: ChannelPush): void {
    if (this.#isMuted(push)) return;
    const fault = this.faults.take('message', { concerns: (restriction) => concerns(push, restriction) });
    this.#suffer(fault);
    const key = `${push.channel} ${push.market ?? ''}`;
    const held = this.#held.get(key);
    this.#held.delete(key);
    if (fault?.kind === 'reorder') this.#held.set(key, pushText(push));
    else if (!this.#isMuted(push)) this.#send(pushText(push), fault);
    if (held !== undefined) this.recipient.sendText(held);
  }

  #send(text: string, { kind, delayMs = 1000 }: Partial<LiveFault> = {}): void {
    const { recipient } = this;
    if (kind === 'no-response' || kind === 'drop') return;
    if (kind === 'late-response' || kind === 'delay')
      this.clock.after(delayMs, () => {
        recipient.sendText(text);
      });
    else recipient.sendText(kind === 'corrupt' ? text.slice(0, text.length / 2) : text);
    if (kind === 'duplicate') recipient.sendText(text);
  }

  #suffer(fault: LiveFault | undefined): void {
    if (fault !== undefined && struckBy(fault.kind) === 'connection') this.recipient.suffer(fault);
  }

  #isMuted(push: ChannelPush): boolean {
    return this.#muted.some((restriction) => concerns(push, restriction));
  }
}

function concerns(push: ChannelPush, { channel = push.channel, market = push.market }: Restriction): boolean {
  return channel === push.channel && market === push.market;
}
