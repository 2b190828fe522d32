import { type ChineseTexts, defineTexts } from '../../language/define-texts';

const en = {
  title: 'Pricing',
  description:
    'Pay only for what you use, from a prepaid balance. Each call is charged at the price that applies when it starts.',
  'empty.title': 'No prices yet',
  'empty.text': 'Check back later, or ask the operator of this site.',
  models: 'Models',
  gpus: 'GPUs',
  'column.model': 'Model',
  'column.input': 'Input, per million tokens',
  'column.output': 'Output, per million tokens',
  'column.request': 'Per request',
  'column.gpu': 'GPU',
  'column.hour': 'Per hour',
  calculator: 'Estimate your cost',
  'calculator.input': 'Input tokens',
  'calculator.output': 'Output tokens',
  'calculator.requests': 'Requests',
  'calculator.tokens': 'Total tokens:',
  'calculator.invalid': 'Enter a whole number.',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '价格',
  description: '从预付余额中按实际用量付费。每次调用按其开始时的价格计费。',
  'empty.title': '尚未发布价格',
  'empty.text': '请稍后再来，或咨询本站点的运营者。',
  models: '模型',
  gpus: 'GPU',
  'column.model': '模型',
  'column.input': '输入（每百万 token）',
  'column.output': '输出（每百万 token）',
  'column.request': '每次请求',
  'column.gpu': 'GPU',
  'column.hour': '每小时',
  calculator: '费用估算',
  'calculator.input': '输入 token 数',
  'calculator.output': '输出 token 数',
  'calculator.requests': '请求次数',
  'calculator.tokens': 'token 合计：',
  'calculator.invalid': '请输入整数。',
};

export const usePricingTexts = defineTexts('pricing', en, zh);
