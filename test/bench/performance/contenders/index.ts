// Everyone who is measured, by name.
import { kyByHand, leanFetchByHand, undiciByHand } from './by-hand.js';
import { ccxt } from './ccxt/contender.js';
import type { Open } from './contender.js';
import { naive } from './naive.js';
import { sdk, sdkWithKy } from './sdk.js';

export const contenders = {
  'undici by hand': undiciByHand,
  'lean fetch by hand': leanFetchByHand,
  'ky by hand': kyByHand,
  'exchange-rx': sdk,
  'exchange-rx with kyTransport': sdkWithKy,
  naive,
  ccxt,
} as const satisfies Record<string, Open>;

export type ContenderName = keyof typeof contenders;
