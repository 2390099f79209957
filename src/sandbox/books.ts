// The balances of every account, and every change of them.
import { decimal, formatDecimal, type Decimal } from '../model/decimal.js';
import type { LedgerEntry, Wallet } from './ledger.js';
import { Journal } from './retention.js';

export const walletNames: readonly Wallet[] = ['main', 'trade', 'collateral'];

export class Books {
  readonly changes = new Journal<LedgerEntry>();
  readonly #balances = new Map<string, Decimal>();

  constructor(private readonly now: () => number) {}

  balance(account: string, wallet: Wallet, asset: string): Decimal {
    return this.#balances.get(keyOf(account, wallet, asset)) ?? decimal(0);
  }

  change(
    account: string,
    wallet: Wallet,
    asset: string,
    delta: Decimal,
    reason: LedgerEntry['reason'],
    cause: Pick<LedgerEntry, 'order_id' | 'market'> = {},
  ): void {
    if (delta.isZero()) return;
    const balance = this.balance(account, wallet, asset).plus(delta);
    this.#balances.set(keyOf(account, wallet, asset), balance);
    this.changes.push({
      at: this.now(),
      account,
      wallet,
      asset,
      delta: formatDecimal(delta),
      balance: formatDecimal(balance),
      reason,
      ...cause,
    });
  }

  assets(): string[] {
    return [...new Set([...this.#balances.keys()].map((key) => key.slice(key.indexOf(']') + 1)))];
  }

  wallet(account: string, wallet: Wallet): Record<string, string> {
    const prefix = keyOf(account, wallet, '');
    return Object.fromEntries(
      [...this.#balances]
        .filter(([key, balance]) => key.startsWith(prefix) && !balance.isZero())
        .map(([key, balance]) => [key.slice(prefix.length), formatDecimal(balance)]),
    );
  }
}

function keyOf(account: string, wallet: Wallet, asset: string): string {
  return JSON.stringify([account, wallet]) + asset;
}
