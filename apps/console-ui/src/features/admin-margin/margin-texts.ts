import { type ChineseTexts, defineTexts } from '../../language/define-texts';

export const en = {
  title: 'Margin',
  description: 'What usage brings in and what the upstreams take for it, in days of UTC.',
  from: 'First day',
  to: 'Last day',
  group: 'Show by',
  'by.day': 'Day',
  'by.model': 'Model',
  'by.upstream': 'Upstream',
  'by.account': 'Account',
  calls: 'Calls',
  uncosted: 'Without a known cost',
  revenue: 'Revenue',
  cost: 'Cost',
  margin: 'Margin',
  share: 'Margin in %',
  total: 'Total',
  note: 'Calls whose upstream has no cost price count in calls and revenue only, not in the margin.',
  'empty.title': 'No usage',
  'empty.text': 'Nothing was used in this period since costs are counted.',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '毛利',
  description: '用量收入与上游成本，按 UTC 日期统计。',
  from: '开始日期',
  to: '结束日期',
  group: '分组',
  'by.day': '日期',
  'by.model': '模型',
  'by.upstream': '上游',
  'by.account': '账户',
  calls: '调用次数',
  uncosted: '成本未知',
  revenue: '收入',
  cost: '成本',
  margin: '毛利',
  share: '毛利率（%）',
  total: '合计',
  note: '上游没有成本价的调用只计入调用次数和收入，不计入毛利。',
  'empty.title': '没有用量',
  'empty.text': '开始统计成本以来，此期间没有用量。',
};

export const useMarginTexts = defineTexts('admin-margin', en, zh);
