// Facts of the connection itself. The last one ends it.
import { unknown, type Fact } from './fact.js';

const pingId: Fact = {
  name: 'ping: the pong has the id of its ping',
  async find(connection, { responseMs }) {
    const id = 4711;
    const from = connection.count;
    connection.sendText(JSON.stringify({ id, method: 'ping', params: [] }));
    const pong = await connection.next(({ result }) => result === 'pong', from, responseMs);
    if (pong === undefined) return unknown(`no pong within ${responseMs} ms`);
    return { seen: pong.id === id ? 'yes' : 'no', because: `sent ${id}, got ${String(pong.id)}` };
  },
};

const protocolPong: Fact = {
  name: 'ping of the protocol: the pong has the payload',
  async find(connection, { responseMs }) {
    const payload = 'probe';
    const pong = await connection.protocolPong(payload);
    if (pong === undefined) return { seen: 'no pong', because: `none within ${responseMs} ms` };
    return { seen: pong === payload ? 'yes' : 'no', because: `got "${pong}"` };
  },
};

const garbage: Fact = {
  name: 'text that is not JSON closes the connection with',
  async find(connection, { responseMs }) {
    const sentAt = performance.now();
    connection.sendText('this is not JSON');
    const ending = await connection.ended(responseMs);
    if (ending === undefined) return { seen: 'no close', because: `still open after ${responseMs} ms` };
    return { seen: String(ending.code), because: `after ${(ending.at - sentAt).toFixed(0)} ms` };
  },
};

export const connectionFacts: readonly Fact[] = [pingId, protocolPong, garbage];
