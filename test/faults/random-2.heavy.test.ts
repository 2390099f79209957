import { describeOrdersAtRandom, many } from './at-random.js';

describeOrdersAtRandom(2, many);
