import { requestSearchIn } from './request-search';

it('reads the address as far as it is understood', () => {
  expect(
    requestSearchIn({
      from: '2026-03-08',
      to: 'today',
      model: 7,
      outcome: 'lost',
      entrypoint: 'agent',
      page: 3,
      zone: 'Nowhere',
    }),
  ).toEqual({ from: '2026-03-08', model: '7', entrypoint: 'agent' });
  expect(requestSearchIn({ status: 'failed', outcome: 'completed' })).toEqual({ status: 'failed' });
  expect(requestSearchIn({ outcome: 'interrupted' })).toEqual({ status: 'interrupted' });
  expect(requestSearchIn({ status: 'charged' })).toEqual({});
  expect(requestSearchIn({ client_request_id: 4711 })).toEqual({ client_request_id: '4711' });
  expect(requestSearchIn({ zone: 'Asia/Shanghai' })).toEqual({ zone: 'Asia/Shanghai' });
});
