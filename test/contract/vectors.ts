// Answers of the exchange as its public documentation gives them, typed in by hand: no code of this project made them.

export const liveOrder = {
  orderId: 4180284841,
  clientOrderId: 'order1987111',
  market: 'BTC_USDT',
  side: 'buy',
  type: 'limit',
  timestamp: 1595792396.165973,
  dealMoney: '0',
  dealStock: '0',
  amount: '0.01',
  left: '0.001',
  dealFee: '0',
  feeAsset: 'USDT',
  price: '40000',
  postOnly: false,
  ioc: false,
  status: 'FILLED',
  stp: 'no',
  positionSide: 'LONG',
  oto: { otoId: 29457221, takeProfit: '50000', stopLoss: '30000' },
  rpi: true,
  retail: true,
  reduceOnly: false,
  activated: 0,
  activationCondition: 'lte',
  activation_price: '40000',
};

export const specStockMarketOrder = {
  order_id: 4180284841,
  client_order_id: 'order1987111',
  market: 'BTC_USDT',
  side: 'buy',
  type: 'limit',
  timestamp: 1595792396.165973,
  deal_money: '0',
  deal_stock: '0',
  amount: '0.01',
  left: '0.001',
  deal_fee: '0',
  price: '40000',
  postOnly: false,
  ioc: false,
  status: 'FILLED',
  stp: 'no',
  positionSide: 'LONG',
  rpi: true,
  reduceOnly: false,
  activated: 0,
  activationCondition: 'lte',
  activation_price: '40000',
};

export const liveCollateralLimitOrder = {
  orderId: 4180284841,
  clientOrderId: 'order1987111',
  market: 'BTC_USDT',
  side: 'buy',
  type: 'limit',
  timestamp: 1595792396.165973,
  dealMoney: '0',
  dealStock: '0',
  amount: '0.01',
  left: '0.001',
  dealFee: '0',
  price: '40000',
  postOnly: false,
  ioc: false,
  status: 'FILLED',
  stp: 'no',
  oto: { otoId: 29457221, stopLoss: '30000', takeProfit: '50000' },
  positionSide: 'LONG',
  rpi: true,
  reduceOnly: false,
};

export const specCollateralLimitOrder = {
  order_id: 4180284841,
  client_order_id: 'order1987111',
  market: 'BTC_USDT',
  side: 'buy',
  type: 'limit',
  timestamp: 1595792396.165973,
  deal_money: '0',
  deal_stock: '0',
  amount: '0.01',
  left: '0.001',
  deal_fee: '0',
  price: '40000',
  postOnly: false,
  ioc: false,
  status: 'FILLED',
  stp: 'no',
  oto: { otoId: 29457221, stopLoss: '30000', takeProfit: '50000' },
  positionSide: 'LONG',
  rpi: true,
  reduceOnly: false,
};

export const liveOrderHistory = {
  BTC_USDT: [
    {
      amount: '0.0009',
      price: '40000',
      type: 'limit',
      id: 4986126152,
      clientOrderId: 'customId11',
      side: 'sell',
      ctime: 1597486960.311311,
      ftime: 1597486960.311332,
      dealFee: '0.041258268',
      dealStock: '0.0009',
      dealMoney: '41.258268',
      postOnly: false,
      ioc: false,
      status: 'CANCELED',
      feeAsset: 'USDT',
      positionSide: 'BOTH',
      rpi: false,
      reduceOnly: false,
    },
  ],
};

export const mainBalance = {
  BSV: { main_balance: '0' },
  BTC: { main_balance: '0' },
  BTG: { main_balance: '0' },
  BTT: { main_balance: '0' },
  XLM: { main_balance: '36.48' },
};

export const markets = [
  {
    name: 'SON_USD',
    stock: 'SON',
    money: 'USD',
    stockPrec: '3',
    moneyPrec: '2',
    feePrec: '4',
    makerFee: '0.1',
    takerFee: '0.1',
    minAmount: '0.001',
    minTotal: '0.001',
    maxTotal: '10000000000',
    tradesEnabled: true,
    isCollateral: true,
    type: 'spot',
    isTradFiFutures: false,
    delistedAt: 1786752000,
  },
];

export const miningAccounts = {
  data: [
    { name: 'my_miner_01', createdAt: 1709340000 },
    { name: 'my_miner_02', createdAt: 1709350000 },
  ],
  limit: 30,
  offset: 0,
};

export const subAccountList = {
  offset: 0,
  limit: 30,
  data: [
    {
      id: '8e667b4a-0b71-4988-8af5-9474dbfaeb51',
      alias: 'trading_bot',
      userId: 'u-12345',
      email: 's***@example.com',
      status: 'active',
      color: '#FF5733',
      kyc: { shareKyc: false, kycStatus: 'verified' },
      permissions: { spotEnabled: true, collateralEnabled: false },
    },
  ],
};

export const oauthRefreshToken = {
  data: {
    access_token: 'NTBLZJKYNZETNJFIZC0ZNGM1LWJMYTMTODBJYZRKNWE2NMRM',
    expires_in: 300,
    refresh_token: 'ODZMNMRHM2ETMZQZZI01OTQYLWEWMZATNWQ0NDYZNJBMOWUW',
    scope: 'codes.apply,show.userinfo',
    token_type: 'Bearer',
  },
};

export const leverage = { leverage: 5 };
export const ping = ['pong'];
export const serverTime = { time: 1631451591 };
