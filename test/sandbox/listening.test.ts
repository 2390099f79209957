// The sandbox on a port: what faults of the connection are on a real socket.
import { createSandbox, type FaultKind } from 'exchange-rx/sandbox';
import { describe, expect, it, vi } from 'vitest';

async function meet(kind: FaultKind): Promise<{ readonly response: Promise<Response>; readonly close: () => Promise<void> }> {
  const sandbox = createSandbox();
  const server = await sandbox.listen();
  sandbox.fault({ kind });
  return { response: fetch(`${server.baseUrl}/api/v4/public/ping`), close: () => server.close() };
}

describe('a sandbox on a port', () => {
  it('breaks the connection in the middle of an answer that is cut, and prints nothing', async () => {
    const printed = vi.spyOn(console, 'error');
    const { response, close } = await meet('cut');
    const answer = await response;
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow('terminated');
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
    await close();
  });

  it('breaks the connection before the answer when it is reset', async () => {
    const { response, close } = await meet('reset');
    await expect(response).rejects.toThrow('fetch failed');
    await close();
  });
});
