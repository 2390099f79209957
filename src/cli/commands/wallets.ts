// `exchange-rx transfer`, `deposit-address` and `history`: money that moves into, out of and between the wallets.
import { Command, Option } from 'commander';
import { map, of } from 'rxjs';
import { checkRequest } from '../../client/index.js';
import { transfer, type Transfer } from '../../endpoints/account/index.js';
import type { Transaction } from '../../model/transaction.js';
import { confirmed, perform, type ActOptions } from '../act.js';
import { printList } from '../list.js';
import { maxOption, oneOf } from '../option-parsers.js';
import type { Runner } from '../runner.js';
import { formatTime, join, text, type Column } from '../terminal/index.js';

const balances = ['main', 'spot', 'collateral'] as const;
type BalanceName = (typeof balances)[number];

export function transferCommand({ runToCompletion }: Runner): Command {
  const command = new Command('transfer')
    .description('transfer an amount between two balances of the account')
    .argument('<asset>', 'such as USDT')
    .argument('<amount>', 'decimal, such as 100')
    .argument('<from>', balances.join(', '), oneOf(balances))
    .argument('<to>', balances.join(', '), oneOf(balances))
    .addHelpText('after', '\nExamples:\n  $ exchange-rx transfer USDT 100 main spot');
  return confirmed(command, 'transfer').action(
    (ticker: string, amount: string, from: BalanceName, to: BalanceName, options: ActOptions, self: Command) =>
      runToCompletion(self, (context) => {
        const params = { ticker, amount, from, to };
        // Before the question: nobody confirms what cannot be sent.
        checkRequest(transfer, params);
        const what = text`${amount} ${ticker} from ${from} to ${to}`;
        const act = {
          question: text`Transfer ${what}`,
          verb: 'transfer',
          declined: 'Nothing transferred',
          subject: 'The transfer',
          whenUnknown:
            'the amount may be transferred or not. See "exchange-rx history transfers" before you transfer again.',
          perform: () =>
            context.exchange.account.transfer(params).pipe(
              map(() => ({
                text: text`Accepted: ${what}. It is executed within seconds: see "exchange-rx history transfers".`,
                data: { ok: true, params },
              })),
            ),
        };
        return perform(context, of(act), options);
      }),
  );
}

export function depositAddressCommand({ run }: Runner): Command {
  return new Command('deposit-address')
    .description('show the address to which an asset is deposited')
    .argument('<asset>', 'such as USDT')
    .option('--network <name>', 'network of the asset; required for an asset with several')
    .addHelpText(
      'after',
      '\nExamples:\n  $ exchange-rx deposit-address USDT --network TRC20 --json | jq -r .account.address',
    )
    .action((ticker: string, network: { network?: string }, command: Command) =>
      run(command, ({ exchange }) =>
        exchange.account.depositAddress({ ticker, ...network }).pipe(
          map((deposit) => {
            const { account, required = {} } = deposit;
            const { minAmount, maxAmount = '0' } = required;
            const lines = [
              text`address  ${account.address}`,
              ...(account.memo === undefined
                ? []
                : [text`memo     ${account.memo} (a deposit without it is not credited)`]),
              ...(minAmount === undefined ? [] : [text`minimum  ${minAmount} ${ticker} (a smaller deposit is lost)`]),
              ...(Number(maxAmount) === 0 ? [] : [text`maximum  ${maxAmount} ${ticker}`]),
            ];
            return { text: join(lines, '\n'), data: deposit };
          }),
        ),
      ),
    );
}

const timeOf = (seconds: number | undefined) => formatTime(seconds).replace(/\.\d+Z$/, 'Z');
const methods: Readonly<Record<number, string>> = { 1: 'deposit', 2: 'withdrawal' };

/** The published words for the states of deposits and of withdrawals. A number that is not listed stays a number. */
const statuses: Readonly<Record<number, Readonly<Record<number, string>>>> = {
  1: {
    ...{ 3: 'credited', 7: 'credited', 4: 'canceled', 9: 'canceled', 5: 'unconfirmed', 15: 'pending', 21: 'frozen' },
    ...{ 22: 'not credited', 27: 'travel rule', 28: 'in review' },
  },
  2: {
    ...Object.fromEntries([1, 2, 6, 10, 11, 12, 13, 14, 15, 16, 17].map((status) => [status, 'pending'])),
    ...{ 3: 'done', 7: 'done', 4: 'canceled', 5: 'unconfirmed', 18: 'partly done', 21: 'frozen' },
  },
};

export function statusOf({ method = 0, status }: Pick<Transaction, 'method' | 'status'>): string | undefined {
  return status === undefined ? undefined : (statuses[method]?.[status] ?? String(status));
}

const transactionColumns: readonly Column<Transaction>[] = [
  { head: 'time', cell: ({ createdAt }) => timeOf(createdAt) },
  { head: 'kind', cell: ({ method = 0 }) => methods[method] },
  { head: 'amount', cell: ({ amount }) => amount, right: true },
  { head: 'asset', cell: ({ ticker }) => ticker },
  { head: 'fee', cell: ({ fee }) => fee, right: true, rank: 1 },
  { head: 'status', cell: statusOf },
  { head: 'network', cell: ({ network }) => network, rank: 2 },
  { head: 'uniqueId', cell: ({ uniqueId }) => uniqueId, rank: 3 },
  { head: 'address', cell: ({ address }) => address, rank: 4 },
];

const transferColumns: readonly Column<Transfer>[] = [
  { head: 'time', cell: ({ created_at }) => timeOf(created_at) },
  { head: 'amount', cell: ({ amount }) => amount, right: true },
  { head: 'asset', cell: ({ currency }) => currency },
  { head: 'from', cell: ({ from_balance }) => from_balance },
  { head: 'to', cell: ({ to_balance }) => to_balance },
  { head: 'id', cell: ({ id }) => id, rank: 1 },
];

const kinds = ['all', 'deposits', 'withdrawals', 'transfers'] as const;

export function historyCommand({ run }: Runner): Command {
  return new Command('history')
    .description('list deposits and withdrawals, or the transfers between balances, the latest first')
    .argument('[kind]', `${kinds.join(', ')}; all: deposits and withdrawals`, oneOf(kinds), 'all')
    .addOption(new Option('--asset <asset>', 'only this asset, of deposits and withdrawals'))
    .addOption(maxOption())
    .addHelpText('after', '\nExamples:\n  $ exchange-rx history\n  $ exchange-rx history transfers --max 1000 --json')
    .action((kind: (typeof kinds)[number], { asset, max }: { asset?: string; max: number }, command: Command) =>
      run(command, (context) => {
        const { account } = context.exchange;
        const texts = { empty: text`Nothing is listed.`, max };
        if (kind === 'transfers')
          return printList(context, account.listAllTransfers({ maxItems: max }), transferColumns, texts);
        const method = kind === 'all' ? {} : { transactionMethod: kind === 'deposits' ? (1 as const) : (2 as const) };
        const filter = { ...method, ...(asset === undefined ? {} : { ticker: asset }) };
        return printList(context, account.listAllTransactions({ ...filter, maxItems: max }), transactionColumns, texts);
      }),
    );
}
