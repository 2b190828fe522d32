import { costReportSearchIn } from './cost-report-search';

it('reads the address of the cost report as far as it is understood', () => {
  expect(costReportSearchIn({ range: '7d', by: 'model', zone: 'Asia/Shanghai', model: 'chat' })).toEqual({
    range: '7d',
    by: 'model',
    zone: 'Asia/Shanghai',
  });
  expect(costReportSearchIn({ range: 'century', by: 'team', from: 'x' })).toEqual({});
});
