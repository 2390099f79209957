import { describeOrdersAtRandom, many } from './at-random.js';

describeOrdersAtRandom(4, many);
