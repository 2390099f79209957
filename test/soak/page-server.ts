// The server of the trading page in its soak test: a process that reports what it uses.
import { createExchange } from 'exchange-rx';
import { createDashboard } from 'exchange-rx/dashboard';
import type { SandboxClientOptions } from 'exchange-rx/sandbox';
import { givenOptions, sendToParent } from '../support/children.js';
import { measureUsage } from './usage.js';

export interface PageServerOptions {
  readonly client: SandboxClientOptions;
  readonly warmUpMs: number;
  readonly seconds: number;
}

const { client, warmUpMs, seconds } = givenOptions() as PageServerOptions;
const dashboard = createDashboard(createExchange(client), { playMoney: true });
sendToParent({ url: await dashboard.listen() });
sendToParent(await measureUsage(warmUpMs, seconds));
process.exit();
