import { describeOrdersAtRandom } from './random.js';

describeOrdersAtRandom(Number(process.env['ORDERS'] ?? 20_000));
