import { describeOrdersAtRandom } from './at-random.js';

describeOrdersAtRandom(Number(process.env['ORDERS'] ?? 2000));
