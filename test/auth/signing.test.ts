import { createExchange } from 'exchange-rx';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createSign } from '../../src/auth/index.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';

const credentials = { apiKey: 'the-key', apiSecret: 'correct horse battery staple' };

// Made by: printf '%s' "$body" | base64 -w0 | openssl dgst -sha512 -hmac 'correct horse battery staple'
const testVectors = [
  {
    body: '{"request":"/api/v4/main-account/balance","nonce":"1795221417556","nonceWindow":true}',
    payload:
      'eyJyZXF1ZXN0IjoiL2FwaS92NC9tYWluLWFjY291bnQvYmFsYW5jZSIsIm5vbmNlIjoiMTc5NTIyMTQxNzU1NiIsIm5vbmNlV2luZG93Ijp0cnVlfQ==',
    signature:
      '933fe7eb56a02613da239f47a9c9f460c77577ab8c168b115d9061767949f79dd2f8694cc349daa99c03e3ef2900d0a31e46fd881900adf17d0e57f5742ac716',
  },
  {
    body: '{"market":"BTC_USDT","side":"buy","amount":"0.01","client_order_id":"order-1","clientOrderId":"order-1","request":"/api/v4/order/stock_market","nonce":"1795221417557","nonceWindow":true}',
    payload:
      'eyJtYXJrZXQiOiJCVENfVVNEVCIsInNpZGUiOiJidXkiLCJhbW91bnQiOiIwLjAxIiwiY2xpZW50X29yZGVyX2lkIjoib3JkZXItMSIsImNsaWVudE9yZGVySWQiOiJvcmRlci0xIiwicmVxdWVzdCI6Ii9hcGkvdjQvb3JkZXIvc3RvY2tfbWFya2V0Iiwibm9uY2UiOiIxNzk1MjIxNDE3NTU3Iiwibm9uY2VXaW5kb3ciOnRydWV9',
    signature:
      'f59530dbf355177dd4585bfac9ba34a3a38fe35e3bf56f569bb19332bdd387c09140cdef66f0fa6d1518e29efb689fdbd50ada01fc8fecd70ef26d2c70e79e64',
  },
  {
    body: String.raw`{"search":"\u00fcber \u20ac","request":"/api/v4/sub-account/list","nonce":"1","nonceWindow":true}`,
    payload:
      'eyJzZWFyY2giOiJcdTAwZmNiZXIgXHUyMGFjIiwicmVxdWVzdCI6Ii9hcGkvdjQvc3ViLWFjY291bnQvbGlzdCIsIm5vbmNlIjoiMSIsIm5vbmNlV2luZG93Ijp0cnVlfQ==',
    signature:
      'b91d3fd70092730a2c06d5f6ff117e48445b57d0e3aae9e5864da29c0dcf785a1a06c14fee5b671452ed67e9f78445ebba1670314cc56cfc21110485c4af876b',
  },
  {
    body: '{"leverage":5,"request":"/api/v4/collateral-account/leverage","nonce":"2","nonceWindow":true}',
    payload:
      'eyJsZXZlcmFnZSI6NSwicmVxdWVzdCI6Ii9hcGkvdjQvY29sbGF0ZXJhbC1hY2NvdW50L2xldmVyYWdlIiwibm9uY2UiOiIyIiwibm9uY2VXaW5kb3ciOnRydWV9',
    signature:
      '97cac7ce18208a42cd97d4a49339104b5378a065d7d2e3f4d45b47ee35f0dac4c643f23077a7ad5d320f44957b77f052355f65e9bb79a1b4e534b3898e8bc5eb',
  },
];

describe('signing', () => {
  it.each(testVectors)(
    'the payload is the body in Base64, the signature its HMAC-SHA512 in hex: $payload',
    ({ body, payload, signature }) => {
      expect(createSign(credentials)(body)).toEqual({
        'Content-type': 'application/json',
        'X-TXC-APIKEY': 'the-key',
        'X-TXC-PAYLOAD': payload,
        'X-TXC-SIGNATURE': signature,
      });
    },
  );

  it('sends exactly the bytes and the signature that an independent tool computes', async () => {
    const { fetch, sent } = recordingFetch(() => jsonAnswer({ leverage: 5 }));
    const exchange = createExchange({ baseUrl: 'https://exchange.example', credentials, fetch, now: () => 2002 });
    await firstValueFrom(exchange.collateral.setLeverage({ leverage: 5 }));
    expect(sent[0]?.body).toBe(testVectors[3]?.body);
    expect(sent[0]?.headers.get('x-txc-signature')).toBe(testVectors[3]?.signature);
    expect(sent[0]?.headers.get('content-type')).toBe('application/json');
  });

  it('signs the bytes that are sent, as compact ASCII', async () => {
    const { fetch, sent } = recordingFetch(() => jsonAnswer({ offset: 0, limit: 30, data: [] }));
    const exchange = createExchange({ baseUrl: 'https://exchange.example', credentials, fetch });
    await firstValueFrom(exchange.subAccounts.list({ search: 'über € 😀' }));
    const [{ body, headers } = { body: '', headers: new Headers() }] = sent;
    expect(Buffer.from(headers.get('x-txc-payload') ?? '', 'base64').toString('latin1')).toBe(body);
    expect(body).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(body)).toMatchObject({
      search: 'über € 😀',
      request: '/api/v4/sub-account/list',
      nonceWindow: true,
    });
  });

  it('sends public requests without key, payload and signature', async () => {
    const { fetch, sent } = recordingFetch(() => jsonAnswer(['pong']));
    await firstValueFrom(createExchange({ baseUrl: 'https://exchange.example', credentials, fetch }).public.ping());
    expect([...(sent[0]?.headers.keys() ?? [])].filter((name) => name.startsWith('x-txc'))).toEqual([]);
  });
});
