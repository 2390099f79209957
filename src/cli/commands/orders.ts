// `exchange-rx orders`: the orders that were placed: open ones, ended ones, their cancels and modifications.
import { Command } from 'commander';
import { decimal } from '../../model/decimal.js';
import { isNothing, type HistoricalOrder } from '../../model/order.js';
import { printList } from '../list.js';
import { maxOption, sinceOption } from '../option-parsers.js';
import type { Runner } from '../runner.js';
import { formatAge, formatTime, text, type Column } from '../terminal/index.js';
import { cancelAllCommand, cancelCommand, modifyCommand } from './change-orders.js';
import { marketOption, openOrders, priceOf, type OpenOrder } from './open-orders.js';

const help = `
Examples:
  $ exchange-rx orders list --market BTC_USDT
  $ exchange-rx orders cancel BTC_USDT --client-order-id my-order-7
  $ exchange-rx orders cancel BTC_USDT --conditional 12
  $ exchange-rx orders cancel-all --market BTC_USDT --yes
  $ exchange-rx orders modify BTC_USDT 4180284841 --price 50100
  $ exchange-rx orders history --since 2026-11-01 --max 1000 --json`;

export function ordersCommand(runner: Runner): Command {
  return new Command('orders')
    .description('list, cancel and modify orders, spot and collateral')
    .addHelpText('after', help)
    .addCommand(listCommand(runner))
    .addCommand(cancelCommand(runner))
    .addCommand(cancelAllCommand(runner))
    .addCommand(modifyCommand(runner))
    .addCommand(historyCommand(runner));
}

type AnyOrder = OpenOrder & HistoricalOrder;

const ageOf = ({ timestamp }: AnyOrder) =>
  timestamp === undefined ? undefined : formatAge(Date.now() / 1000 - timestamp);

const endOf = ({ ftime, timestamp }: AnyOrder) => formatTime(ftime ?? timestamp).replace(/\.\d+Z$/, 'Z');

/** The price of an average is rounded to the decimals of this many digits. */
const averageDigits = 8;

function averageOf({ deal_stock, deal_money }: AnyOrder): string | undefined {
  if (deal_stock === undefined || deal_money === undefined || isNothing(deal_stock)) return undefined;
  return decimal(deal_money).dividedBy(deal_stock).precision(averageDigits).toFixed();
}

const orderColumns: readonly Column<AnyOrder>[] = [
  { head: 'market', cell: ({ market }) => market },
  { head: 'order', cell: ({ side, type = 'order' }) => text`${side} ${type}` },
  { head: 'price', cell: priceOf, right: true },
  { head: 'amount', cell: ({ amount }) => amount, right: true },
  { head: 'filled', cell: ({ deal_stock }) => deal_stock, right: true, rank: 1 },
  { head: 'average', cell: averageOf, right: true, rank: 4 },
  { head: 'client_order_id', cell: ({ client_order_id }) => client_order_id },
  { head: 'order_id', cell: ({ order_id }) => order_id, right: true, rank: 3 },
];

const statusColumn: Column<AnyOrder> = { head: 'status', cell: ({ status }) => status, rank: 5 };

const openColumns: readonly Column<AnyOrder>[] = [
  { head: 'age', cell: ageOf, right: true, rank: 2 },
  ...orderColumns,
  { head: 'conditional', cell: ({ conditionalId }) => conditionalId, right: true, rank: 3 },
  statusColumn,
];

const endedColumns: readonly Column<AnyOrder>[] = [
  { head: 'ended', cell: endOf, rank: 2 },
  ...orderColumns,
  { ...statusColumn, rank: 1 },
];

function listCommand({ run }: Runner): Command {
  return new Command('list')
    .description('list the open orders, with those that wait for a condition')
    .addOption(marketOption())
    .action(({ market }: { market?: string }, command: Command) =>
      run(command, (context) =>
        printList(context, openOrders(context.exchange, market), openColumns, {
          empty: market === undefined ? text`No order is open.` : text`No order of ${market} is open.`,
        }),
      ),
    );
}

function historyCommand({ run }: Runner): Command {
  return new Command('history')
    .description('list the orders that have ended, the latest first')
    .addOption(marketOption())
    .addOption(sinceOption())
    .option('--status <status>', 'only orders of this status, such as FILLED or CANCELED')
    .addOption(maxOption())
    .action(({ max, ...filter }: { market?: string; since?: number; status?: string; max: number }, command: Command) =>
      run(command, (context) =>
        printList(context, context.exchange.orders.listAllHistory({ ...filter, maxItems: max }), endedColumns, {
          empty: text`No order has ended.`,
          max,
        }),
      ),
    );
}
