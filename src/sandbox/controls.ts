// The controls of accounts and markets.
import { decimal, formatDecimal } from '../model/decimal.js';
import { check, checkPaths, fields, oneOf, positive, signed, text } from './check.js';
import type { SandboxState } from './create-state.js';
import type { Key } from './keys.js';
import type { SandboxTrade } from './ledger.js';
import { depthFields } from './engine/index.js';
import type { MarketTrade } from './market-data/index.js';
import type { SandboxAccount, SandboxMarket } from './sandbox-api.js';

const depositRules = fields({ asset: text, amount: signed, wallet: oneOf('main', 'trade', 'collateral') });
const depthRules = fields(depthFields);

export function accountControls({ books, engine, gateway }: SandboxState, key: Key): SandboxAccount {
  const checked = (where: string, paths: readonly string[]) => {
    checkPaths(where, gateway.routes, paths);
    return paths;
  };
  return {
    name: key.account,
    deposit(asset, amount, wallet) {
      check('account.deposit', depositRules, { asset, amount, wallet });
      books.change(key.account, wallet, asset, decimal(amount), 'deposit');
    },
    setKeyEnabled(enabled) {
      key.isEnabled = enabled;
    },
    restrictKey(paths) {
      key.allowedPaths = paths === undefined ? undefined : checked('account.restrictKey', paths);
    },
    revokePaths(paths) {
      key.revokedPaths = checked('account.revokePaths', paths);
    },
    setHedgeMode(enabled) {
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
      check('market.setPrice', fields({ price: positive }), { price });
      engine.setPrice(name, decimal(price));
    },
    setDepth(depth) {
      check('market.setDepth', depthRules, depth);
      book.depth = depth;
    },
    setTradesEnabled(enabled) {
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
