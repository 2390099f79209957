// The controls of accounts and markets.
import { decimal, formatDecimal } from '../model/decimal.js';
import { check } from './check.js';
import type { SandboxState } from './create-state.js';
import type { Key } from './keys.js';
import type { SandboxTrade } from './ledger.js';
import type { MarketTrade } from './market-data/index.js';
import { parameterRules } from './parameter-rules.js';
import type { SandboxAccount, SandboxMarket } from './sandbox-api.js';

export function accountControls(
  { books, engine }: SandboxState,
  key: Key,
  checkRoutes: (where: string, paths: readonly string[] | undefined) => void,
): SandboxAccount {
  return {
    name: key.account,
    deposit(asset, amount, wallet) {
      check('account.deposit', parameterRules.deposit, { asset, amount, wallet });
      books.change(key.account, wallet, asset, decimal(amount), 'deposit');
    },
    setKeyEnabled(enabled) {
      check('account.setKeyEnabled', parameterRules.enabled, { enabled });
      key.isEnabled = enabled;
    },
    restrictKey(paths) {
      check('account.restrictKey', parameterRules.paths, { paths });
      checkRoutes('account.restrictKey', paths);
      key.allowedPaths = paths;
    },
    revokePaths(paths) {
      check('account.revokePaths', parameterRules.paths, { paths });
      checkRoutes('account.revokePaths', paths);
      key.revokedPaths = paths;
    },
    setHedgeMode(enabled) {
      check('account.setHedgeMode', parameterRules.enabled, { enabled });
      engine.setHedgeMode(key.account, enabled);
    },
  };
}

export function marketControls({ engine }: SandboxState, name: string): SandboxMarket {
  const book = engine.bookOf(name);
  return {
    price() {
      engine.advance();
      return formatDecimal(engine.price(name));
    },
    trades() {
      engine.advance();
      return book.tape.ownTrades.map(tradeRecord);
    },
    setPrice(price) {
      check('market.setPrice', parameterRules.price, { price });
      engine.setPrice(name, decimal(price));
    },
    setDepth(depth) {
      check('market.setDepth', parameterRules.depth, depth);
      book.depth = depth;
    },
    setTradesEnabled(enabled) {
      check('market.setTradesEnabled', parameterRules.enabled, { enabled });
      book.tradesEnabled = enabled;
    },
    delist() {
      engine.delist(name);
    },
  };
}

function tradeRecord({
  id,
  at,
  side,
  price,
  amount,
  money,
  rpi,
  takerOrderId,
  makerOrderId,
}: MarketTrade): SandboxTrade {
  return {
    id,
    at,
    side,
    price: formatDecimal(price),
    amount: formatDecimal(amount),
    money: formatDecimal(money),
    rpi,
    ...(takerOrderId === undefined ? {} : { taker_order_id: takerOrderId }),
    ...(makerOrderId === undefined ? {} : { maker_order_id: makerOrderId }),
  };
}
