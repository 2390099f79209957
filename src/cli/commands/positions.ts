// `exchange-rx positions`: the open positions of the collateral account, and closing them.
import { Command, Option } from 'commander';
import { concatMap, from, map, mergeAll, type Observable } from 'rxjs';
import { decimal, formatDecimal } from '../../model/decimal.js';
import type { Position } from '../../model/position.js';
import { confirmed, perform, type ActOptions } from '../act.js';
import { exitCodes, UsageError } from '../exit-codes.js';
import { printList } from '../list.js';
import { closePosition, sizeOf } from '../market/position.js';
import { oneOf } from '../option-parsers.js';
import type { Runner, VerbContext } from '../runner.js';
import { formatAge, join, text, type Column, type Output } from '../terminal/index.js';

const help = `
Examples:
  $ exchange-rx positions --json | jq -r .unrealizedPnl
  $ exchange-rx positions close BTC_PERP
  $ exchange-rx positions close --all --yes`;

const columns: readonly Column<Position>[] = [
  {
    head: 'age',
    cell: ({ openDate }) => (openDate === undefined ? undefined : formatAge(Date.now() / 1000 - openDate)),
    right: true,
    rank: 2,
  },
  { head: 'market', cell: ({ market }) => market },
  { head: 'side', cell: (position) => sizeOf(position).side },
  { head: 'amount', cell: ({ amount }) => amount, right: true },
  { head: 'opened at', cell: ({ basePrice }) => basePrice, right: true },
  { head: 'PnL', cell: ({ unrealizedPnl }) => signed(unrealizedPnl), right: true },
  { head: 'liquidation', cell: ({ liquidationPrice }) => liquidationPrice, right: true },
  { head: 'margin', cell: ({ margin }) => margin, right: true, rank: 3 },
  { head: 'stop loss', cell: ({ tpsl }) => tpsl?.stopLoss, right: true, rank: 4 },
  { head: 'take profit', cell: ({ tpsl }) => tpsl?.takeProfit, right: true, rank: 4 },
  { head: 'position', cell: ({ positionId }) => positionId, right: true, rank: 1 },
];

export function positionsCommand(runner: Runner): Command {
  return new Command('positions')
    .description('list the open positions, or close them')
    .option('--market <market>', 'only of this market, such as BTC_PERP')
    .addHelpText('after', help)
    .action(({ market }: { market?: string }, command: Command) =>
      runner.run(command, (context) =>
        printList(context, openPositions(context, market), columns, { empty: text`No position is open.` }),
      ),
    )
    .addCommand(closeCommand(runner));
}

function openPositions({ exchange }: VerbContext, market: string | undefined): Observable<Position> {
  return exchange.collateral.openPositions(market === undefined ? {} : { market }).pipe(mergeAll());
}

function signed(amount: string | undefined): string | undefined {
  return amount === undefined || amount.startsWith('-') || decimal(amount).isZero() ? amount : `+${amount}`;
}

interface CloseOptions extends ActOptions {
  readonly all?: boolean;
  readonly side?: 'long' | 'short';
}

function closeCommand({ runToCompletion }: Runner): Command {
  const command = new Command('close')
    .description('close positions at the market price, and cancel their stop losses and take profits')
    .argument('[market]', 'close the position of this market, such as BTC_PERP')
    .option('--all', 'close the positions of all markets')
    .addOption(
      new Option('--side <side>', 'in hedge mode, only the long or the short position').argParser(
        oneOf(['long', 'short']),
      ),
    );
  return confirmed(command, 'close the positions').action(
    (market: string | undefined, options: CloseOptions, self: Command) =>
      runToCompletion(self, (context) => {
        if ((market === undefined) !== (options.all === true))
          throw new UsageError('either a market or --all is required');
        const act$ = context.exchange.collateral.openPositions(market === undefined ? {} : { market }).pipe(
          map((open) =>
            open.filter((position) => options.side === undefined || sizeOf(position).side === options.side),
          ),
          map((positions) => {
            if (positions.length === 0) throw new UsageError('no such position is open', exitCodes.rejected);
            return {
              question: text`Close at the market price: ${join(positions.map(describe), '; ')}`,
              verb: 'close the positions',
              declined: 'Positions not closed',
              subject: 'The close',
              whenUnknown: 'a position may be closed or not. See "exchange-rx positions".',
              perform: () => from(positions).pipe(concatMap((position) => close(context, position))),
            };
          }),
        );
        return perform(context, act$, options);
      }),
  );
}

function close({ exchange }: VerbContext, position: Position): Observable<Output> {
  const { market, positionId } = position;
  return closePosition(exchange, position).pipe(
    map((response) => ({
      text: text`Closed ${describe(position)}.`,
      data: { ok: true, market, positionId, response },
    })),
  );
}

function describe(position: Position) {
  const { market, basePrice, unrealizedPnl } = position;
  const { side, size } = sizeOf(position);
  const opened = basePrice === undefined ? '' : text` from ${basePrice}`;
  const pnl = unrealizedPnl === undefined ? '' : text` (PnL ${signed(unrealizedPnl) ?? ''})`;
  return text`${side} ${formatDecimal(size)} ${market}${opened}${pnl}`;
}
