import { type ChineseTexts, defineTexts } from '../../language/define-texts';

const en = {
  slogan: 'Call AI models. See what every call costs.',
  pitch:
    'One API for every model on this site. Pay from a prepaid balance, and see each cost to the last digit.',
  register: 'Create an account',
  signIn: 'Sign in',
  firstCall: 'Your first call',
  'firstCall.language': 'Language of the example',
  'fact.compatible': 'Works with your code',
  'fact.compatible.text': 'Compatible with the OpenAI API. Just change the base URL and the API key.',
  'fact.exact': 'Exact costs',
  'fact.exact.text': 'Every call is listed with its tokens and its cost, never rounded.',
  'fact.prepaid': 'No surprises',
  'fact.prepaid.text': 'You only spend what you have topped up. Set a limit for each API key.',
  prices: 'Models and prices',
  'prices.all': 'All prices',
} as const;

const zh: ChineseTexts<typeof en> = {
  slogan: '调用 AI 模型，每次费用一目了然',
  pitch: '一个 API 即可调用本站全部模型。余额预付，账单精确到最后一位小数。',
  register: '注册账户',
  signIn: '登录',
  firstCall: '第一次调用',
  'firstCall.language': '示例语言',
  'fact.compatible': '无需改造',
  'fact.compatible.text': '兼容 OpenAI API，只需修改程序中的地址和密钥。',
  'fact.exact': '费用精确',
  'fact.exact.text': '每次调用均列出 Token 数和费用，不作舍入。',
  'fact.prepaid': '花费可控',
  'fact.prepaid.text': '只从预付余额中扣费，每个 API 密钥均可设置限额。',
  prices: '模型与价格',
  'prices.all': '全部价格',
};

export const useLandingTexts = defineTexts('landing', en, zh);
