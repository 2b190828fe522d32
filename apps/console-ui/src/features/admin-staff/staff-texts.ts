import { type ChineseTexts, defineTexts } from '../../language/define-texts';

const en = {
  title: 'Staff',
  description:
    'Everyone with more rights than a customer. Review the list regularly, and remove roles that are no longer needed.',
  person: 'Person',
  role: 'Role',
  since: 'Since',
  givenBy: 'Given by',
  'givenBy.provider': 'Group at {{provider}}',
  'givenBy.command': 'Command on the server',
  secondFactor: 'Second factor',
  'secondFactor.totp': 'Authenticator app',
  'secondFactor.provider': 'Sign-in provider',
  'secondFactor.none': 'None',
  lastUsed: 'Last active',
  never: 'Not recently',
  'demand.title': 'Set up a second factor',
  'demand.text':
    'Your account has a role that needs a second factor. Set up an authenticator app to go on; until then the console shows nothing else.',
  'demand.done': 'The second factor is on.',
  'demand.continue': 'Continue to the console',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '员工',
  description: '权限高于普通用户的所有人员。请定期检查，及时收回不再需要的角色。',
  person: '人员',
  role: '角色',
  since: '起始时间',
  givenBy: '授予者',
  'givenBy.provider': '{{provider}} 的用户组',
  'givenBy.command': '服务器命令',
  secondFactor: '两步验证',
  'secondFactor.totp': '身份验证器应用',
  'secondFactor.provider': '登录服务商',
  'secondFactor.none': '未开启',
  lastUsed: '最近活动',
  never: '近期无活动',
  'demand.title': '请开启两步验证',
  'demand.text': '您的角色要求开启两步验证。请先绑定身份验证器应用，之后才能使用控制台的其他功能。',
  'demand.done': '两步验证已开启。',
  'demand.continue': '进入控制台',
};

export const useStaffTexts = defineTexts('admin-staff', en, zh);
