import { type ChineseTexts } from '../../../language/text-types';
import { type en } from './en';

export const zh: ChineseTexts<typeof en> = {
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
