import { describeOrdersAtRandom } from './at-random.js';

describeOrdersAtRandom(200);
