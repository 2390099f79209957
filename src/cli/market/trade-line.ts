// A live trade, or a gap between trades, as a line.
import type { LiveTradeItem } from '../../live/index.js';
import { formatAmount, formatTime, join, text, type Colors, type SafeText } from '../terminal/index.js';

export function tradeLine(item: LiveTradeItem, { red, green, yellow }: Colors): SafeText {
  if (item.kind === 'gap') {
    const { market, reason, from, to, filled } = item;
    const begin = formatTime(from);
    const missing = filled ? text`any trades missed since ${begin} follow` : text`trades since ${begin} may be missing`;
    return join([formatTime(to), market ?? 'all markets', yellow('gap'), text`${reason}: ${missing}`], '  ');
  }
  const { id, time, type, amount, price } = item.trade;
  const side = type === 'buy' ? green(type) : type === 'sell' ? red(type) : (type ?? '–');
  return join(
    [formatTime(time), item.market, side, text`${formatAmount(amount)} at ${formatAmount(price)}`, text`#${id}`],
    '  ',
  );
}
