import { type ChineseTexts, defineTexts } from '../../language/define-texts';

const en = {
  title: 'Limits',
  description: 'How fast your account and your keys may call models, and what counts against each limit now.',
  tier: 'Tier',
  'tier.next': 'Next tier: {{name}}',
  'tier.needs':
    '{{paid}} paid in all and an account of {{days}} days. You have paid {{yourPaid}}, and your account exists for {{yourDays}} days. You rise by yourself.',
  'tier.highest': 'This is the highest tier.',
  'empty.title': 'No limits',
  'empty.text': 'Nothing limits how fast you may call models. You can set limits for each key.',
  'empty.keys': 'Show keys',
  'column.for': 'For',
  'column.limit': 'Limit',
  'column.used': 'Used now',
  'for.model': 'Account, model {{model}}',
  'for.others': 'Account, each other model',
  'for.key': 'Key {{name}}',
  'set.staff': 'Set by staff',
  requests_per_minute: '{{most}} requests a minute',
  tokens_per_minute: '{{most}} tokens a minute',
  tokens_per_day: '{{most}} tokens a day',
  concurrency: '{{most}} requests at a time',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '速率限制',
  description: '您的账户和密钥调用模型的速度上限，以及当前已用的额度。',
  tier: '等级',
  'tier.next': '下一等级：{{name}}',
  'tier.needs':
    '需累计付款 {{paid}}，且账户创建满 {{days}} 天。您已付款 {{yourPaid}}，账户已创建 {{yourDays}} 天。达到后自动升级。',
  'tier.highest': '您已处于最高等级。',
  'empty.title': '没有限制',
  'empty.text': '目前调用模型没有速率限制。您可以为每个密钥单独设置。',
  'empty.keys': '查看密钥',
  'column.for': '对象',
  'column.limit': '上限',
  'column.used': '当前已用',
  'for.model': '账户，模型 {{model}}',
  'for.others': '账户，其他每个模型',
  'for.key': '密钥 {{name}}',
  'set.staff': '由工作人员设置',
  requests_per_minute: '每分钟 {{most}} 次请求',
  tokens_per_minute: '每分钟 {{most}} 个 Token',
  tokens_per_day: '每天 {{most}} 个 Token',
  concurrency: '同时 {{most}} 个请求',
};

export const useLimitTexts = defineTexts('limits', en, zh);
