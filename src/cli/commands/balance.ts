// `exchange-rx balance`: the balances of the account's wallets.
import { Command, Option } from 'commander';
import { distinctUntilChanged, forkJoin, map, merge, type Observable } from 'rxjs';
import type { Exchange } from '../../exchange.js';
import type { Balance, CollateralBalance, TradeBalance } from '../../model/balances.js';
import {
  watchBalance,
  type BalanceChange,
  type BalanceUpdate,
  type CollateralBalanceUpdate,
  type SpotBalanceUpdate,
} from '../../streams/index.js';
import { intervalOption, oneOf } from '../option-parsers.js';
import type { Runner, VerbContext } from '../runner.js';
import {
  formatAmount,
  join,
  table,
  text,
  type Colors,
  type Column,
  type Output,
  type SafeText,
} from '../terminal/index.js';

const wallets = ['main', 'spot', 'collateral', 'all'] as const;
type Wallet = (typeof wallets)[number];

const examples = `
Examples:
  $ exchange-rx balance --sandbox
  $ exchange-rx balance --json | jq -r .BTC.main_balance
  $ exchange-rx balance --wallet all
  $ exchange-rx balance --wallet spot --watch`;

export function balanceCommand({ run }: Runner): Command {
  return new Command('balance')
    .description('show the balances of a wallet, or of all')
    .addOption(new Option('--wallet <wallet>', wallets.join(', ')).argParser(oneOf(wallets)).default('main'))
    .option('-w, --watch', 'poll until Ctrl-C and print each change')
    .addOption(intervalOption(5000))
    .addHelpText('after', examples)
    .action(({ watch, wallet, interval }: { watch?: boolean; wallet: Wallet; interval: number }, command: Command) =>
      run(command, (context) => (watch === true ? watchChanges(context, wallet, interval) : readOnce(context, wallet))),
    );
}

/** The amounts of an asset in the wallets that were read; the exchange omits those that are zero. */
interface Amounts {
  readonly asset: string;
  readonly main?: string | undefined;
  readonly available?: string | undefined;
  readonly frozen?: string | undefined;
  readonly collateral?: string | undefined;
}

const assetColumn: Column<Amounts> = { head: 'asset', cell: ({ asset }) => asset };
const spotColumns = (prefix: string): readonly Column<Amounts>[] => [
  { head: `${prefix}available`, cell: ({ available }) => amount(available) },
  { head: `${prefix}in orders`, cell: ({ frozen }) => amount(frozen) },
];
const columnsOf: Readonly<Record<Wallet, readonly Column<Amounts>[]>> = {
  main: [assetColumn, { head: 'balance', cell: ({ main }) => amount(main) }],
  spot: [assetColumn, ...spotColumns('')],
  collateral: [assetColumn, { head: 'balance', cell: ({ collateral }) => amount(collateral) }],
  all: [
    assetColumn,
    { head: 'main', cell: ({ main }) => amount(main) },
    ...spotColumns('spot '),
    { head: 'collateral', cell: ({ collateral }) => amount(collateral) },
  ],
};

function amount(value: string | undefined): string | undefined {
  return value === undefined ? undefined : formatAmount(value);
}

interface Balances {
  readonly main?: Balance;
  readonly spot?: TradeBalance;
  readonly collateral?: CollateralBalance;
}

function balanceTable(wallet: Wallet, { main = {}, spot = {}, collateral = {} }: Balances): SafeText {
  const assets = [...new Set([main, spot, collateral].flatMap((balance) => Object.keys(balance)))];
  if (assets.length === 0)
    return wallet === 'all' ? text`The account is empty.` : text`The ${wallet} account is empty.`;
  const rows = assets.map((asset): Amounts => {
    const { available, freeze: frozen } = spot[asset] ?? {};
    return { asset, main: main[asset]?.main_balance, available, frozen, collateral: collateral[asset] };
  });
  return table(rows, columnsOf[wallet]);
}

function readOnce({ exchange }: VerbContext, wallet: Wallet): Observable<Output> {
  const reads = {
    main: exchange.account.mainBalance,
    spot: exchange.spot.balance,
    collateral: exchange.collateral.balance,
  };
  if (wallet === 'all')
    return forkJoin({ main: reads.main(), spot: reads.spot(), collateral: reads.collateral() }).pipe(
      map((balances) => ({ text: balanceTable(wallet, balances), data: balances })),
    );
  const read$: Observable<Balance | TradeBalance | CollateralBalance> = reads[wallet]();
  return read$.pipe(map((data) => ({ text: balanceTable(wallet, { [wallet]: data }), data })));
}

type Update = BalanceUpdate | SpotBalanceUpdate | CollateralBalanceUpdate;

function watchChanges({ exchange, terminal }: VerbContext, wallet: Wallet, everyMs: number): Observable<Output> {
  if (wallet !== 'all') return changesOf(exchange, wallet, everyMs, terminal.colors);
  const named = (['main', 'spot', 'collateral'] as const).map((name) =>
    changesOf(exchange, name, everyMs, terminal.colors).pipe(
      map(({ text: line, data }) => ({ text: text`${name}: ${line}`, data: { wallet: name, ...data } })),
    ),
  );
  return merge(...named);
}

function changesOf(
  exchange: Exchange,
  wallet: Exclude<Wallet, 'all'>,
  everyMs: number,
  colors: Colors,
): Observable<Output> {
  const updates$: Observable<Update> =
    wallet === 'main'
      ? watchBalance(exchange, { everyMs })
      : wallet === 'spot'
        ? watchBalance(exchange, { wallet, everyMs })
        : watchBalance(exchange, { wallet, everyMs });
  return updates$.pipe(
    distinctUntilChanged(isUnchanged),
    map((update) => ({ text: updateText(wallet, update, colors), data: update })),
  );
}

function isUnchanged(printed: Update, { changes, stale, error }: Update): boolean {
  return changes.length === 0 && stale === printed.stale && error?.kind === printed.error?.kind;
}

function updateText(wallet: Wallet, { balance, changes, stale, error }: Update, colors: Colors): SafeText {
  if (stale) return colors.yellow(text`stale: ${error?.message ?? 'the last poll failed'}`);
  if (changes.length === 0) return balanceTable(wallet, { [wallet]: balance });
  const paint = (delta: string) =>
    delta.startsWith('-') ? colors.red(formatAmount(delta)) : colors.green(formatAmount(`+${delta}`));
  const named = ({ asset, ...change }: BalanceChange) => ('of' in change ? text`${asset} ${String(change.of)}` : asset);
  const lines = changes.map((change) => text`${named(change)} ${formatAmount(change.after)} (${paint(change.delta)})`);
  return join(lines, '\n');
}
