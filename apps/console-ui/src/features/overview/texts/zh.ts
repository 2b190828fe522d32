import { type ChineseTexts } from '../../../language/text-types';
import { type en } from './en';

export const zh: ChineseTexts<typeof en> = {
  title: '概览',
  balance: '余额',
  topUp: '充值',
  'balance.details': '收支明细',
  'balance.notice': '余额低于 {{threshold}} 时，我们会发邮件通知您。',
  'balance.noNotice': '每次调用的费用从余额中扣除。',
  'balance.low': '余额低于 {{threshold}}。请及时充值，以免调用被拒绝。',
  spend: '最近 30 天的费用',
  'spend.details': '用量与费用',
  'spend.chart': '{{first}} 至 {{last}} 每天的费用',
  'spend.highest': '单日最高：{{cost}}',
  steps: '新手指引',
  'steps.done': '已完成 {{count}} / 3',
  'step.topUp': '为账户充值',
  'step.topUp.text': '调用费用从余额中扣除。',
  'step.key': '创建 API 密钥',
  'step.key.text': '您的程序使用密钥调用模型。',
  'step.call': '完成首次调用',
  'step.call.text': '复制下面的示例并运行，本页会自动更新。',
  'step.isDone': '已完成',
  'step.isOpen': '未完成',
  call: '首次调用示例',
  'call.text': '请将 API 密钥设置为环境变量 API_KEY。',
  'call.samples': '示例语言',
};
