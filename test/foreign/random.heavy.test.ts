import { describeOrdersAtRandom } from './at-random.js';

describeOrdersAtRandom(Number(process.env['FOREIGN_ORDERS'] ?? 2000));
