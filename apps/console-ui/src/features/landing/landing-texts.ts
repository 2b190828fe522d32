import { type ChineseTexts, defineTexts } from '../../language/define-texts';

const en = {
  slogan: 'Call AI models. See what every call costs.',
  pitch:
    'One API for all models of this site, with a prepaid balance and a bill that is exact to the last digit.',
  register: 'Create an account',
  signIn: 'Sign in',
  firstCall: 'Your first call',
  'firstCall.language': 'Language of the example',
  'fact.compatible': 'Works with what you have',
  'fact.compatible.text': 'The API is that of OpenAI. Change the address and the key in your program.',
  'fact.exact': 'No rounding',
  'fact.exact.text': 'Every call is listed with its tokens and its exact cost.',
  'fact.prepaid': 'No surprise',
  'fact.prepaid.text': 'You spend what you have paid in. Each API key can have a limit.',
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
  'fact.exact': '不作舍入',
  'fact.exact.text': '每次调用均列出 token 数和精确费用。',
  'fact.prepaid': '花费可控',
  'fact.prepaid.text': '只从预付余额中扣费，每个 API 密钥均可设置限额。',
  prices: '模型与价格',
  'prices.all': '全部价格',
};

export const useLandingTexts = defineTexts('landing', en, zh);
