// `exchange-rx withdraw`: shows a withdrawal, and sends it once it is confirmed.
import { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import { concatMap, defer, map, of, throwError, type Observable } from 'rxjs';
import { checkRequest } from '../../client/index.js';
import { withdraw, type WithdrawParams } from '../../endpoints/account/index.js';
import { perform, type ActOptions } from '../act.js';
import { UsageError } from '../exit-codes.js';
import type { Runner, VerbContext } from '../runner.js';
import { join, text, type Output, type SafeText } from '../terminal/index.js';

interface WithdrawOptions extends ActOptions {
  readonly network?: string;
  readonly memo?: string;
  readonly uniqueId?: string;
}

const help = `
Examples:
  $ exchange-rx withdraw USDT 120 TQ1vNh5Eq2ys9sA2mJrGzRsbdHVnYs3kbb --network TRC20
  $ exchange-rx withdraw XLM 40 GDTSOI56XNVAKJNJBLJGRNZIVOCIZJRBIDKTWSCYEYNFAZEMBLN75RMN --memo 778 --yes

The amount includes the fee. A withdrawal is sent at most once; when the response is lost, it is looked up.
Exit code 5: the outcome is unknown. Run the command again with the same --unique-id:
the exchange executes each one once.`;

export function withdrawCommand({ runToCompletion }: Runner): Command {
  return new Command('withdraw')
    .description('withdraw from the main account to an address')
    .argument('<asset>', 'such as USDT')
    .argument('<amount>', 'decimal, such as 120; the fee is part of it')
    .argument('<address>', 'address outside of the exchange')
    .option('--network <name>', 'network of the address; required for an asset with several')
    .option('--memo <memo>', 'memo of the address, of assets that have one')
    .option('--unique-id <id>', 'uniqueId of the withdrawal (default: a new one)')
    .option('-y, --yes', 'withdraw without confirmation')
    .addHelpText('after', help)
    .action((ticker: string, amount: string, address: string, options: WithdrawOptions, command: Command) =>
      runToCompletion(command, (context) => {
        const { uniqueId = randomUUID(), yes = false, ...optional } = options;
        return withdrawOnce(context, { ticker, amount, address, uniqueId, ...optional }, { yes });
      }),
    );
}

function withdrawOnce(context: VerbContext, params: WithdrawParams, options: ActOptions): Observable<Output> {
  const { terminal } = context;
  const { uniqueId } = params;
  const act$ = defer(() => {
    checkRequest(withdraw, params);
    return describeWithdrawal(context, params);
  }).pipe(
    map((plan) => {
      terminal.log(plan);
      return {
        question: text`Withdraw`,
        verb: 'withdraw',
        declined: 'Not withdrawn',
        subject: 'The withdrawal',
        whenUnknown: `the outcome of withdrawal ${uniqueId} is unknown. Run the command again with --unique-id ${uniqueId}`,
        perform: () => {
          // Logged before the request: the user can look the withdrawal up whatever happens to this process.
          terminal.log(text`Sending withdrawal ${uniqueId} to ${context.baseUrl}.`);
          const accepted = { text: text`Withdrawal ${uniqueId}: accepted.`, data: { ok: true, params } };
          return context
            .withdrawing()
            .account.withdraw(params)
            .pipe(map((): Output => accepted));
        },
      };
    }),
  );
  return perform(context, act$, options);
}

function describeWithdrawal({ exchange }: VerbContext, params: WithdrawParams): Observable<SafeText> {
  const { ticker, amount, address, network, memo } = params;
  return exchange.public.assetFees().pipe(
    concatMap((fees) => {
      const networks = Object.entries(fees).filter(([name, fee]) => (fee.ticker ?? name) === ticker);
      const named = networks.find(([name]) => network !== undefined && name === `${ticker} (${network})`);
      const found = named ?? (networks.length === 1 ? networks[0] : undefined);
      if (found === undefined) {
        const known = networks.map(([name]) => name).join(', ');
        const message = known === '' ? `no fee of ${ticker} is published` : `pass --network, as in: ${known}`;
        return throwError(() => new UsageError(message));
      }
      const { fixed, flex } = found[1].withdraw ?? {};
      const parts = [
        ...(typeof fixed === 'string' ? [text`${fixed} ${ticker}`] : []),
        ...(typeof flex?.percent === 'string' ? [text`${flex.percent} %`] : []),
      ];
      return of(
        join(
          [
            text`amount   ${String(amount)} ${ticker}, with the fee`,
            text`fee      ${parts.length === 0 ? 'not published' : join(parts, ' and ')}`,
            text`network  ${network ?? 'the only one of the asset'}`,
            text`address  ${address}${memo === undefined ? '' : text`, memo ${memo}`}`,
          ],
          '\n',
        ),
      );
    }),
  );
}
