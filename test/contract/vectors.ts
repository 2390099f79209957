// Responses of the exchange as its public documentation shows them, typed by hand: no code of this project made them.

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

export const ticker = {
  BTC_USDT: {
    base_id: 1,
    quote_id: 825,
    last_price: '60010.1',
    quote_volume: '43341942.90416876',
    base_volume: '723.062552',
    isFrozen: false,
    change: '0.57',
  },
};

export const assets = {
  BTC: {
    name: 'Bitcoin',
    unified_cryptoasset_id: 1,
    can_withdraw: true,
    can_deposit: true,
    min_withdraw: '0.0003',
    max_withdraw: '0',
    maker_fee: '0.1',
    taker_fee: '0.1',
    min_deposit: '0.0001',
    max_deposit: '0',
    currency_precision: 8,
    is_memo: false,
    memo: { deposit: false, withdraw: false },
    networks: { deposits: ['BTC'], withdraws: ['BTC'], default: 'BTC' },
    limits: { deposit: { BTC: { min: '0.0001' } }, withdraw: { BTC: { min: '0.0003', max: '0' } } },
    confirmations: { BTC: 2 },
  },
  UAH: {
    name: 'Ukrainian Hryvnia',
    can_withdraw: true,
    can_deposit: true,
    providers: { deposits: ['VISAMASTER'], withdraws: ['VISAMASTER'] },
  },
};

export const fee = {
  'USDT (ERC20)': {
    ticker: 'USDT',
    name: 'Tether US',
    providers: [],
    deposit: { min_amount: '0.0005', max_amount: '0.1', fixed: '0.0005', flex: null },
    withdraw: { min_amount: '0', max_amount: '0', fixed: null, flex: { percent: '1', min_fee: '2', max_fee: '0' } },
    is_depositable: true,
    is_withdrawal: true,
    is_api_withdrawal: true,
    is_api_depositable: true,
  },
  UAH: {
    ticker: 'UAH',
    name: 'Hryvnia',
    providers: ['VISAMASTER'],
    deposit: {
      VISAMASTER: {
        ticker: 'UAH_VISAMASTER',
        name: 'Visa/Master',
        is_depositable: true,
        min_amount: '0',
        max_amount: '0',
        fixed: null,
        flex: { percent: '2.5', min_fee: '0', max_fee: '0' },
      },
    },
    withdraw: { VISAMASTER: { ticker: 'UAH_VISAMASTER', fixed: '5', flex: null } },
    is_depositable: true,
    is_withdrawal: true,
  },
};

export const orderBook = {
  ticker_id: 'BTC_USDT',
  timestamp: 1594391413,
  asks: [
    ['9184.41', '0.773162'],
    ['9185.57', '0.88'],
  ],
  bids: [['9181.65', '0.551158']],
};

export const publicTrades = [
  {
    tradeID: 158056419,
    price: '9186.13',
    quote_volume: '0.0021',
    base_volume: '19.290873',
    trade_timestamp: 1594391747,
    type: 'sell',
    rpi: false,
  },
];

export const collateralMarkets = { success: true, message: null, result: ['BTC_USDT', 'ETH_USDT'] };

export const futures = {
  success: true,
  message: null,
  result: [
    {
      ticker_id: 'BTC_PERP',
      stock_currency: 'BTC',
      money_currency: 'USDT',
      last_price: '24005.5',
      stock_volume: '196965.591',
      money_volume: '4737879075.7817',
      bid: '24005.4',
      ask: '24005.8',
      high: '24295.9',
      low: '23765.3',
      product_type: 'Perpetual',
      open_interest: '6000.1',
      index_price: '24019.25',
      index_name: 'Bitcoin',
      index_currency: 'BTC',
      funding_rate: '0.000044889033693137',
      funding_cap: '0.003',
      funding_floor: '-0.003',
      next_funding_rate_timestamp: '1660665600000',
      brackets: { '1': '0', '100': '50000' },
      max_leverage: 100,
      funding_interval_minutes: 480,
      mark_price: '24010.1',
    },
  ],
};

export const fundingHistory = [
  {
    fundingTime: '1708704000',
    fundingRate: '0.00017674',
    market: 'BTC_PERP',
    settlementPrice: '51097.0625',
    rateCalculatedTime: '1708675200',
  },
];

export const miningPool = {
  data: {
    connection_links: ['stratum+tcp://pool.example:3333'],
    location: 'Global',
    assets: ['BTC'],
    reward_schemes: ['FPPS'],
    workers: 25000,
    current_hash_rate: '4500000000000000000',
    last7days_hash_rate: [{ timestamp: 1708704000, hashrate: '4400000000000000000' }],
    blocks: [{ block_found_at: 1708704000, block_height: 831000 }],
  },
};

export const kline = {
  success: true,
  message: null,
  result: [
    [1795316400, '60010.1', '60012.5', '60020', '60001.2', '1.25', '75012.5'],
    [1795320000, '60012.5', '60000', '60013', '59990', '2', '120010'],
  ],
};

/** Of the published shape: for all assets, and wrapped so for one. The live exchange was seen to send one asset bare. */
export const tradeBalance = {
  BTC: { available: '0.123', freeze: '1' },
  XMR: { available: '3013', freeze: '100' },
};

/** Of the published shapes. */
export const collateralBalance = { BTC: '1', USDT: '100000' };
export const collateralBalanceSummary = [
  {
    asset: 'USDT',
    balance: '100000',
    borrow: '0',
    availableWithoutBorrow: '99000.5',
    availableWithBorrow: '495000',
  },
];
export const collateralSummary = {
  equity: '100010.5',
  margin: '1000',
  freeMargin: '99010.5',
  unrealizedFunding: '-0.02',
  pnl: '10.5',
  leverage: 10,
  marginFraction: '1000000000000000000000',
};

/** Of the published shape. */
export const tradingFees = {
  error: null,
  taker: '0.1',
  maker: '0.1',
  futures_taker: '0.055',
  futures_maker: '0.01',
  rpi_maker_fee_premium: '0.01',
  futures_rpi_maker_fee_premium: '0.02',
  custom_fee: { BTC_USDT: { taker: '0.05', maker: '0.02' } },
};

/** Of the published shapes. */
const marketDeal = {
  id: 160305483,
  clientOrderId: 'customId11',
  time: 1594667731.724403,
  side: 'sell',
  role: 2,
  amount: '0.000076',
  price: '9264.21',
  deal: '0.70407996',
  fee: '0.00070407996',
  orderId: 3135554375,
  feeAsset: 'USDT',
};
export const deals = [marketDeal] as const;
export const dealsByMarket = { BTC_USDT: [marketDeal], ETH_USDT: [{ ...marketDeal, id: 160305484 }] };
export const dealsOfOrder = {
  records: [
    {
      time: 1593342324.613711,
      fee: '0.00000419198',
      price: '0.00000701',
      amount: '598',
      id: 149156519,
      dealOrderId: 3134995325,
      clientOrderId: 'customId11',
      role: 2,
      deal: '0.00419198',
      feeAsset: 'USDT',
      rpi: false,
    },
  ] as const,
  offset: 0,
  limit: 50,
};

/** Of the published shape. */
export const openPositions = [
  {
    positionId: 2,
    market: 'BTC_USDT',
    openDate: 1594214113.911116,
    modifyDate: 1594214114.911116,
    amount: '-0.2',
    basePrice: '24000',
    liquidationPrice: '45000.5',
    liquidationState: 'margin_call',
    pnl: '-168.42',
    pnlPercent: '-2.32',
    margin: '4800.5',
    freeMargin: '26.5',
    funding: '0.3',
    unrealizedFunding: '0.01',
    unrealizedPnl: '-160.42',
    positionSide: 'BOTH',
    tpsl: { takeProfitId: 4321, takeProfit: '20000', stopLossId: 1234, stopLoss: '25000' },
  },
] as const;
export const hedgeMode = { hedgeMode: true };

const ocoLeg = {
  clientOrderId: 'mine',
  market: 'BTC_USDT',
  side: 'buy',
  timestamp: 1594605801.494,
  dealMoney: '0',
  dealStock: '0',
  amount: '0.001',
  takerFee: '0.001',
  makerFee: '0.001',
  left: '0.001',
  dealFee: '0',
  post_only: false,
  mtime: 1594605801.494,
  status: 'OPEN',
  stp: 'no',
  positionSide: 'LONG',
} as const;
/** Of the published shape. */
export const ocoOrder = {
  id: 117703764,
  reduceOnly: false,
  stop_loss: {
    ...ocoLeg,
    orderId: 117703763,
    type: 'stop limit',
    price: '60100',
    activation_price: '60000',
    activation_condition: 'gte',
    activated: 0,
  },
  take_profit: { ...ocoLeg, orderId: 117703764, type: 'limit', price: '50000' },
} as const;
/** Of the published shape. */
export const killSwitches = [
  { market: 'BTC_USDT', startTime: 1662478154, cancellationTime: 1662478754, types: ['margin', 'futures'] },
] as const;
/** Of the published shape. */
export const canceledOrders = [
  { result: { orderId: 4180284841, clientOrderId: 'mine', market: 'BTC_USDT' } },
  {
    error: {
      code: 404,
      message: 'Inner validation failed',
      errors: { orderId: ['Unexecuted order was not found.'] },
    },
  },
] as const;
/** Of the published shape. */
export const delistedOrders = [
  {
    id: 4986126152,
    clientOrderId: 'mine',
    createdAt: 1597486960.311311,
    finishAt: 1597486960.311332,
    market: 'BTC_USDT',
    side: 'sell',
    type: 'limit',
    price: '40000.0000000000',
    amount: '0.0010000000',
    dealStock: '0.0009000000',
    dealMoney: '36.0000000000',
    fee: '0.0360000000',
    feeAsset: 'USDT',
    status: 'canceled',
    delistingKind: 'reverse',
  },
] as const;
/** Of the published shape. */
export const positionHistory = [
  {
    positionId: 2,
    market: 'BTC_PERP',
    openDate: 1594214113.911116,
    modifyDate: 1594214114.911116,
    amount: '-0.2',
    basePrice: '24000',
    realizedFunding: '0.3',
    liquidationPrice: '45000.5',
    liquidationState: 'margin_call',
    orderDetail: {
      id: 4321,
      tradeAmount: '0.1',
      price: '24000',
      tradeFee: '2.4',
      fundingFee: '0.1',
      realizedPnl: '-1.5',
    },
    side: 'SHORT',
    isHedge: false,
  },
] as const;

/** Of the published shape. */
export const closedPositions = [
  {
    positionId: 2,
    market: 'BTC_PERP',
    grossPnl: '97.6',
    netPnl: '97.3',
    totalTradeFee: '2.4',
    totalFunding: '0.3',
    avgEntryPrice: '24000',
    avgExitPrice: '23500',
    closedSize: '0.2',
    amount: '0',
    side: 'SHORT',
    isHedge: false,
    openDate: 1594214113,
    closeDate: 1594224113,
  },
] as const;

/** Of the published shape. */
export const fundingPayments = {
  records: [
    {
      market: 'BTC_PERP',
      fundingTime: '1594224000',
      fundingRate: '0.0001',
      fundingAmount: '-0.6',
      positionAmount: '0.1',
      settlementPrice: '60000',
      rateCalculatedTime: '1594223940',
    },
  ] as const,
  limit: 100,
  offset: 0,
};
export const adlQuantiles = [{ market: 'BTC_PERP', long: null, short: 4 }] as const;
