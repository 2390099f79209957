// The controls of accounts and markets.
import { BehaviorSubject } from 'rxjs';
import { decimal, formatDecimal } from '../model/decimal.js';
import { check, checkPaths, fields, notNegative, oneOf, positive, signed, text } from './check.js';
import type { SandboxState } from './create-state.js';
import { assetProfile, networkOf } from './http/index.js';
import type { Key } from './keys.js';
import type { SandboxTrade } from './ledger.js';
import { depthFields } from './engine/index.js';
import type { MarketStatus } from './replay/index.js';
import type { MarketTrade } from './market-data/index.js';
import { connectWorker } from './miners.js';
import { randomUuid } from './random.js';
import type { SandboxAccount, SandboxMarket } from './sandbox-api.js';
import { depositAddress } from './wallets.js';

const depositRules = fields({ asset: text, amount: signed, wallet: oneOf('main', 'trade', 'collateral') });
const networkRules = fields({ asset: text, amount: positive, network: text });
const workerRules = fields({ miningAccount: text, worker: text, terahashes: notNegative });
const depthRules = fields(depthFields);

export function accountControls(state: SandboxState, key: Key): SandboxAccount {
  const { books, clock, engine, gateway, random, records, wallets } = state;
  const { account } = key;
  return {
    name: account,
    deposit(asset, amount, wallet) {
      check('account.deposit', depositRules, { asset, amount, wallet });
      books.change(account, wallet, asset, decimal(amount), 'deposit');
    },
    cancelDeposit(asset, amount, network = networkOf(asset)?.name ?? asset) {
      check('account.cancelDeposit', networkRules, { asset, amount, network });
      const id = randomUuid(random);
      records.canceledDeposits.push({ account, at: clock.now(), id, ticker: asset, network, amount: decimal(amount) });
      return id;
    },
    receiveDeposit(asset, amount, network = networkOf(asset)?.name ?? asset) {
      check('account.receiveDeposit', networkRules, { asset, amount, network });
      const confirmations = networkOf(asset, network)?.confirmations;
      if (confirmations === undefined) throw new Error(`account.receiveDeposit: ${asset} has no network "${network}"`);
      const { address, memo } = depositAddress(assetProfile(asset).isMemo === true, account, asset, network);
      return wallets.receive({ account, asset, network, address, memo, amount: decimal(amount), confirmations });
    },
    cancelWithdrawal(uniqueId) {
      if (wallets.cancelWithdrawal(account, uniqueId)) return;
      throw new Error(`account.cancelWithdrawal: ${account} has no withdrawal "${uniqueId}" that is not settled`);
    },
    connectWorker(miningAccount, worker, terahashes) {
      check('account.connectWorker', workerRules, { miningAccount, worker, terahashes });
      const to = records.miningAccounts.of(account).find(({ values }) => values.name === miningAccount);
      if (to === undefined)
        throw new Error(`account.connectWorker: ${account} has no mining account "${miningAccount}"`);
      connectWorker(state, to, worker, decimal(terahashes));
    },
    setKeyEnabled(enabled) {
      key.isEnabled = enabled;
    },
    restrictKey(paths) {
      checkPaths('account.restrictKey', gateway.routes, paths ?? []);
      key.allowedPaths = paths;
    },
    revokePaths(paths) {
      checkPaths('account.revokePaths', gateway.routes, paths);
      key.revokedPaths = paths;
    },
    setHedgeMode(enabled) {
      engine.positions.setHedged(account, enabled);
    },
  };
}

export function marketControls({ engine, clock, recorded }: SandboxState, name: string): SandboxMarket {
  const book = engine.markets.book(name);
  const always$ = new BehaviorSubject<MarketStatus>({ status: 'open', since: clock.now() });
  return {
    status$: recorded?.exchange.state(name)?.status$ ?? always$.asObservable(),
    price() {
      engine.advance();
      return formatDecimal(book.price);
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
      book.setDepth(depth);
    },
    setTradesEnabled(enabled) {
      book.tradesEnabled = enabled;
    },
    delist() {
      engine.delist(name);
    },
  };
}

function tradeRecord({ price, amount, money, takerOrderId, makerOrderId, ...same }: MarketTrade): SandboxTrade {
  return {
    ...same,
    ...{ price: formatDecimal(price), amount: formatDecimal(amount), money: formatDecimal(money) },
    ...(takerOrderId === undefined ? {} : { taker_order_id: takerOrderId }),
    ...(makerOrderId === undefined ? {} : { maker_order_id: makerOrderId }),
  };
}
