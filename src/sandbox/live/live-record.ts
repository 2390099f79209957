// The ledger of the real-time interface: connections, requests and frames.
import { shorten } from '../http/index.js';
import type { LedgerLiveRequest, LedgerOrderEvent } from '../ledger.js';
import { Journal } from '../retention.js';
import type { LiveRequest } from './envelope.js';

const maxParamsLength = 16_384;

export class LiveRecord {
  readonly pushes = new Map<string, number>();
  readonly orderEvents = new Journal<LedgerOrderEvent>();
  readonly requests = new Journal<LedgerLiveRequest>();
  openConnections = 0;
  maxOpenConnections = 0;
  connectionCount = 0;

  constructor(private readonly now: () => number) {}

  opened(): number {
    this.openConnections += 1;
    this.maxOpenConnections = Math.max(this.maxOpenConnections, this.openConnections);
    this.connectionCount += 1;
    return this.connectionCount;
  }

  request({ method, params: given }: LiveRequest, outcome: Omit<LedgerLiveRequest, 'at' | 'method' | 'params'>): void {
    // The ledger contains no secret.
    const params = method === 'authorize' ? ['…', ...given.slice(1)] : given;
    const shown = JSON.stringify(params).length <= maxParamsLength ? params : undefined;
    this.requests.push({ at: this.now(), method: shorten(method), params: shown, ...outcome });
  }

  push(channel: string): void {
    this.pushes.set(channel, (this.pushes.get(channel) ?? 0) + 1);
  }
}
