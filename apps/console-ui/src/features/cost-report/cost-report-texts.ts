import { type ChineseTexts, defineTexts } from '../../language/define-texts';

const en = {
  title: 'Cost of all accounts',
  description: 'Cost of all accounts in USD, highest first.',
  csv: 'Download as CSV',
  'by.user': 'Account',
  'by.model': 'Model',
  'by.entrypoint': 'Source',
  'by.api_key': 'API key',
  tokens: 'Tokens',
  cost: 'Cost in USD',
  total: 'Total',
  'empty.title': 'No usage in this period',
  'empty.text': 'Choose another period. Calls appear here as soon as they are charged.',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '全部账户费用',
  description: '所有账户的费用（美元），按费用从高到低排列。',
  csv: '下载 CSV',
  'by.user': '账户',
  'by.model': '模型',
  'by.entrypoint': '来源',
  'by.api_key': 'API 密钥',
  tokens: 'Token 数',
  cost: '费用（美元）',
  total: '合计',
  'empty.title': '该时间范围内没有账户产生用量',
  'empty.text': '请更换时间范围。调用计费后会立即显示在这里。',
};

export const useCostReportTexts = defineTexts('cost-report', en, zh);
