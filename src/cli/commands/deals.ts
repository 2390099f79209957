// `exchange-rx deals`: the trades of the account's orders.
import { Command } from 'commander';
import { concatMap, from } from 'rxjs';
import type { Deal } from '../../model/deal.js';
import { printList } from '../list.js';
import { maxOption, sinceOption } from '../option-parsers.js';
import type { Runner, VerbContext } from '../runner.js';
import { formatTime, text, type Column } from '../terminal/index.js';

interface MarketDeal extends Deal {
  readonly market: string;
}

const roles: Readonly<Record<number, string>> = { 1: 'maker', 2: 'taker' };

const columns: readonly Column<MarketDeal>[] = [
  { head: 'time', cell: ({ time }) => formatTime(time).replace(/\.\d+Z$/, 'Z') },
  { head: 'market', cell: ({ market }) => market },
  { head: 'side', cell: ({ side }) => side },
  { head: 'price', cell: ({ price }) => price, right: true },
  { head: 'amount', cell: ({ amount }) => amount, right: true },
  { head: 'total', cell: ({ deal }) => deal, right: true, rank: 3 },
  {
    head: 'fee',
    cell: ({ fee, feeAsset }) => (fee === undefined || feeAsset === undefined ? fee : text`${fee} ${feeAsset}`),
    right: true,
    rank: 2,
  },
  { head: 'role', cell: ({ role = 0 }) => roles[role], rank: 4 },
  { head: 'client_order_id', cell: ({ client_order_id }) => client_order_id, rank: 1 },
];

const maxOfAllMarkets = 500;

export function dealsCommand({ run }: Runner): Command {
  return new Command('deals')
    .description('list the trades of your orders, the latest first')
    .argument('[market]', `the market, such as BTC_USDT; without one, at most ${maxOfAllMarkets} deals of all markets`)
    .addOption(sinceOption())
    .addOption(maxOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ exchange-rx deals BTC_USDT --since 2026-11-01 --max 5000 --json > deals.jsonl',
    )
    .action((market: string | undefined, options: { since?: number; max: number }, command: Command) =>
      run(command, (context) => {
        const max = market === undefined ? Math.min(maxOfAllMarkets, options.max) : options.max;
        return printList(context, dealsOf(context, market, max, options.since), columns, {
          empty: text`No deals.`,
          max,
        });
      }),
    );
}

function dealsOf({ exchange: { orders } }: VerbContext, market: string | undefined, max: number, since?: number) {
  if (market !== undefined) {
    const from$ = since === undefined ? {} : { since };
    return orders.listAllDeals({ market, maxItems: max, ...from$ }).pipe(concatMap((deal) => [{ market, ...deal }]));
  }
  return orders.dealsByMarket({ limit: max, ...(since === undefined ? {} : { startDate: since }) }).pipe(
    concatMap((lists) => {
      const deals = Object.entries(lists).flatMap(([name, list]) => list.map((deal) => ({ market: name, ...deal })));
      return from(deals.sort((one, other) => other.time - one.time));
    }),
  );
}
