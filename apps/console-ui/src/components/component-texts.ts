import { type ChineseTexts, defineTexts } from '../language/define-texts';

const en = {
  'copy.do': 'Copy',
  'copy.done': 'Copied',
  'error.title': 'This did not work',
  'error.retry': 'Try again',
  'error.requestId': 'Request id',
  'error.offline': 'The service cannot be reached. Check your connection; your entries are kept.',
  'error.unavailable': 'The service is not available at the moment. Try again in a few seconds.',
  'error.fault': 'The service failed. If it happens again, send the request id to support.',
  'error.tooMany_one': 'Too many requests. Try again in {{count}} second.',
  'error.tooMany_other': 'Too many requests. Try again in {{count}} seconds.',
  'error.tooManyNow': 'Too many requests. Try again in a moment.',
  'error.payment': 'Your balance does not cover this. Top up, or ask for less.',
  'error.forbidden': 'Your account may not do this. Ask an administrator of the site.',
  'error.notFound': 'This does not exist, or belongs to another account.',
  'error.refused': 'The service refused this: {{detail}}',
  'amount.syntax':
    'Write a point before the decimals, at most {{decimals}}, and no thousands separators: 1050 or 1050.50.',
  'table.more': 'Show more',
  'table.loading': 'Loading …',
  'code.copy': 'Copy the code',
  'dialog.cancel': 'Cancel',
  'dialog.close': 'Close the dialog',
  'password.show': 'Show or hide the password',
} as const;

const zh: ChineseTexts<typeof en> = {
  'copy.do': '复制',
  'copy.done': '已复制',
  'error.title': '操作未成功',
  'error.retry': '重试',
  'error.requestId': '请求编号',
  'error.offline': '无法连接服务。请检查网络连接，您填写的内容已保留。',
  'error.unavailable': '服务暂时不可用，请几秒后重试。',
  'error.fault': '服务出现故障。如果再次发生，请将请求编号发送给技术支持。',
  'error.tooMany_other': '请求过于频繁，请在 {{count}} 秒后重试。',
  'error.tooManyNow': '请求过于频繁，请稍后重试。',
  'error.payment': '余额不足。请充值，或减少用量。',
  'error.forbidden': '您的账户无权执行此操作，请联系站点管理员。',
  'error.notFound': '内容不存在，或属于其他账户。',
  'error.refused': '服务拒绝了此请求：{{detail}}',
  'amount.syntax': '小数点请使用“.”，最多 {{decimals}} 位小数，且不要使用千位分隔符，例如 1050 或 1050.50。',
  'table.more': '显示更多',
  'table.loading': '正在加载…',
  'code.copy': '复制代码',
  'dialog.cancel': '取消',
  'dialog.close': '关闭对话框',
  'password.show': '显示或隐藏密码',
};

export const useComponentTexts = defineTexts('components', en, zh);
