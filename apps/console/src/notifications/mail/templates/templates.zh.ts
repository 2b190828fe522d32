import { type Currency } from '@inference/config';
import {
  type FormattedAmount,
  type MailTemplates,
  paragraphsOf,
  type SecurityMailData,
} from './mail-template';

const time = ({ at }: SecurityMailData) => `时间：${at}（UTC）`;
const when = (data: SecurityMailData) => `${time(data)}\n来源地址：${data.address ?? '未知'}`;
const CURRENCY: Record<Currency, string> = { USD: '美元', CNY: '元' };
const money = ({ figure, currency, isRounded }: FormattedAmount) =>
  `${isRounded ? '约 ' : ''}${figure} ${CURRENCY[currency]}`;
const revokedIn = ({ revoked }: SecurityMailData) =>
  [
    ['API 密钥', revoked?.apiKeys],
    ['知识库密钥', revoked?.workspaceKeys],
    ['关联的其他平台账户', revoked?.identities],
    ['两步验证', revoked?.secondFactors],
    ['密码', revoked?.passwords],
  ]
    .flatMap(([name, count]) => (count ? [`${name}：${count}`] : []))
    .join('\n');
const NOTHING_TO_DO = '如果是您本人操作，则无需理会。';

export const TEMPLATES_ZH: MailTemplates = {
  verify_email: {
    subject: ({ siteName }) => `请验证您在 ${siteName} 使用的邮箱`,
    paragraphs: ({ siteName, link, token, validHours }) => [
      `有人（很可能是您本人）在 ${siteName} 的账户中使用了这个邮箱地址。请打开以下链接，确认该邮箱属于您：`,
      { link },
      '如果链接无法打开，请改为输入以下验证码：',
      { token },
      `链接和验证码在 ${validHours} 小时内有效，且只能使用一次。`,
      '如果该账户不是您创建的，请不要确认。如需收回该账户，请前往网站使用“忘记密码”功能：设置新密码后，他人用您的邮箱创建的内容都会被移除。',
    ],
  },
  reset_password: {
    subject: ({ siteName }) => `重设您的 ${siteName} 密码`,
    paragraphs: ({ siteName, link, token, validHours, isFirstVerification, revokesEarlierAccess }) => [
      `有人（很可能是您本人）请求重设您在 ${siteName} 的账户密码。请打开以下链接设置新密码：`,
      { link },
      '如果链接无法打开，请改为输入以下验证码：',
      { token },
      `链接和验证码在 ${validHours} 小时内有效，且只能使用一次。`,
      ...(isFirstVerification || revokesEarlierAccess
        ? [
            '在邮箱验证之前创建的 API 密钥、知识库密钥、关联的其他平台账户和两步验证可能出自他人之手，重设密码时会一并移除。',
          ]
        : []),
      '如果您没有提出过该请求，请忽略本邮件，您的密码不会改变。',
    ],
  },
  password_changed: {
    subject: ({ siteName }) => `您的 ${siteName} 密码已修改`,
    paragraphs: (data) => [
      `您在 ${data.siteName} 的账户密码已被修改。`,
      when(data),
      NOTHING_TO_DO,
      '如果不是您本人操作，您的账户可能正被他人使用。请前往以下网址，通过“忘记密码”设置新密码，届时所有已登录的会话都会退出：',
      { link: data.link },
    ],
  },
  two_factor_enabled: {
    subject: ({ siteName }) => `您的 ${siteName} 账户已开启两步验证`,
    paragraphs: (data) => [
      `您在 ${data.siteName} 的账户已开启两步验证。今后登录时，还需要输入身份验证器中的动态码或一个恢复码。`,
      when(data),
      `${NOTHING_TO_DO}请妥善保管您的恢复码。`,
      '如果不是您本人操作，他人可能正在使用您的账户，并可能使您无法登录。请立即前往以下网址设置新密码；如果已经无法登录，请联系我们：',
      { link: data.link },
    ],
  },
  two_factor_disabled: {
    subject: ({ siteName }) => `您的 ${siteName} 账户已关闭两步验证`,
    paragraphs: (data) => [
      `您在 ${data.siteName} 的账户已关闭两步验证。今后仅凭密码即可登录。`,
      when(data),
      NOTHING_TO_DO,
      '如果不是您本人操作，说明他人知道您的密码。请立即前往以下网址设置新密码，然后重新开启两步验证：',
      { link: data.link },
    ],
  },
  recovery_codes_replaced: {
    subject: ({ siteName }) => `您的 ${siteName} 恢复码已更换`,
    paragraphs: (data) => [
      `您在 ${data.siteName} 的账户恢复码已更换，旧的恢复码不再有效。`,
      when(data),
      `${NOTHING_TO_DO}请妥善保管新的恢复码。`,
      '如果不是您本人操作，他人可能正在使用您的账户。请立即前往以下网址设置新密码，然后重新生成恢复码：',
      { link: data.link },
    ],
  },
  identity_linked: {
    subject: ({ siteName }) => `您的 ${siteName} 账户新增了登录方式`,
    paragraphs: (data) => [
      `您在 ${data.siteName} 的账户已关联其他平台的账户。今后可以用该平台账户登录。`,
      when(data),
      NOTHING_TO_DO,
      '如果不是您本人操作，您的账户可能正被他人使用。请立即前往以下网址设置新密码，然后解除该关联：',
      { link: data.link },
    ],
  },
  identity_unlinked: {
    subject: ({ siteName }) => `您的 ${siteName} 账户移除了一种登录方式`,
    paragraphs: (data) => [
      `您在 ${data.siteName} 的账户已与其他平台的账户解除关联，今后不能再用该平台账户登录。`,
      when(data),
      NOTHING_TO_DO,
      '如果不是您本人操作，您的账户可能正被他人使用。请立即前往以下网址设置新密码：',
      { link: data.link },
    ],
  },
  access_revoked: {
    subject: ({ siteName }) => `您的 ${siteName} 账户已移除邮箱验证前创建的内容`,
    paragraphs: (data) => [
      `您已证明 ${data.siteName} 账户的邮箱属于您。在此之前，该账户可能被他人使用过，因此以下在邮箱验证之前创建的内容已被移除：`,
      revokedIn(data),
      when(data),
      '如果您的程序使用了其中的密钥，请创建新密钥并更新程序：',
      { link: data.link },
    ],
  },
  api_key_rotated: {
    subject: ({ siteName, rotated }) => `您的 ${siteName} API 密钥 ${rotated?.name ?? ''} 已轮换`,
    paragraphs: (data) => [
      `您在 ${data.siteName} 的 API 密钥 ${data.rotated?.name ?? ''}（${data.rotated?.prefix ?? 'bfvk-'}…）已换成新的密钥值。`,
      data.rotated?.formerEndsAt
        ? `旧密钥值可以使用到 ${data.rotated.formerEndsAt}（UTC）。`
        : '旧密钥值已经失效。',
      when(data),
      NOTHING_TO_DO,
      '如果不是您本人操作，他人可能正在使用您的账户。请前往以下网址删除该密钥，并设置新密码：',
      { link: data.link },
    ],
  },
  api_key_leaked: {
    subject: ({ siteName, leaked }) => `您的 ${siteName} API 密钥 ${leaked?.name ?? ''} 已被公开泄露`,
    paragraphs: (data) => [
      `您在 ${data.siteName} 的 API 密钥 ${data.leaked?.name ?? ''}（${data.leaked?.prefix ?? 'bfvk-'}…）出现在公开位置${data.leaked?.url ? `：${data.leaked.url}` : '。'}`,
      data.leaked?.isFormerSecret
        ? '泄露的是该密钥轮换前的旧密钥值，现已失效。当前密钥值不受影响。'
        : '任何人都可能使用它，因此它已被停用，使用它的程序会被拒绝。',
      time(data),
      data.leaked?.isFormerSecret
        ? '请检查用量中是否有不是您发起的调用：'
        : '请为程序更换密钥，删除此密钥，并检查用量中是否有不是您发起的调用：',
      { link: data.link },
    ],
  },
  workspace_key_leaked: {
    subject: ({ siteName, leaked }) => `您的 ${siteName} 知识库密钥 ${leaked?.name ?? ''} 已被公开泄露`,
    paragraphs: (data) => [
      `您在 ${data.siteName} 创建的知识库密钥 ${data.leaked?.name ?? ''}（${data.leaked?.prefix ?? 'sk_'}…）出现在公开位置${data.leaked?.url ? `：${data.leaked.url}` : '。'}`,
      '任何人都可能用它读取该知识库，因此我们已将其删除，使用它的程序会被拒绝。',
      time(data),
      '请为程序更换知识库密钥：',
      { link: data.link },
    ],
  },
  admin_appointed: {
    subject: ({ siteName, admin }) => `${siteName} 新增管理员${admin ? ` ${admin.email}` : ''}`,
    paragraphs: (data) => [
      `${data.admin?.email ?? '一个账户'} 已成为 ${data.siteName} 的管理员。管理员可以更改价格、余额、发布内容和其他账户。`,
      `操作者：${data.admin?.appointedBy ?? '运营方命令'}\n${when(data)}`,
      '如果您知情，则无需理会。',
      '否则请撤销该角色，并在审计事件中查明原因：',
      { link: data.link },
    ],
  },
  payment_received: {
    subject: ({ siteName, amount }) => `${siteName} 已收到您的付款 ${money(amount)}`,
    paragraphs: ({ siteName, amount, paymentId, at, link }) => [
      `感谢您的付款！您在 ${siteName} 的付款已到账，账户余额增加 ${money(amount)}。`,
      `付款编号：${paymentId}\n付款时间：${at}（UTC）`,
      '请前往以下网址查看您的余额和付款记录：',
      { link },
    ],
  },
  payment_refunded: {
    subject: ({ siteName, amount }) => `${siteName} 已为您退款 ${money(amount)}`,
    paragraphs: ({ siteName, amount, paymentId, at, link }) => [
      `您在 ${siteName} 的一笔付款已退款 ${money(amount)}。该金额已从您的账户余额中扣除，并将原路退回。银行或支付应用可能需要几天时间才能显示这笔退款。`,
      `付款编号：${paymentId}\n退款时间：${at}（UTC）`,
      '请前往以下网址查看您的余额和付款记录：',
      { link },
    ],
  },
  low_balance: {
    subject: ({ siteName, threshold }) => `您的 ${siteName} 账户余额已低于 ${money(threshold)}`,
    paragraphs: ({ siteName, threshold, balance, at, link }) => [
      `您在 ${siteName} 的账户余额已低于 ${money(threshold)}。`,
      `余额：${money(balance)}\n时间：${at}（UTC）`,
      '余额用完后，请求将被拒绝。请前往以下网址充值：',
      { link },
      `余额每次降至 ${money(threshold)} 以下时，您只会收到一次提醒。`,
    ],
  },
  invoice_issued: {
    subject: ({ siteName, number }) => `${siteName} 票据 ${number}`,
    paragraphs: ({ siteName, number, link }) => [
      `您在 ${siteName} 付款的票据 ${number} 请见附件，票据类型以文件内容为准。`,
      '账户持有人也可以前往以下网址下载：',
      { link },
    ],
  },
  api_key_expiring: {
    subject: ({ siteName, name }) => `您的 ${siteName} API 密钥 ${name} 即将到期`,
    paragraphs: ({ siteName, name, prefix, at, link }) => [
      `您在 ${siteName} 的 API 密钥 ${name}（${prefix}…）将于 ${at}（UTC）到期，届时使用它的程序会被拒绝。`,
      '如需继续使用，请前往以下网址修改到期时间，或为程序创建新的密钥：',
      { link },
    ],
  },
  announcement: {
    subject: ({ siteName, title }) => `${siteName}：${title}`,
    paragraphs: ({ siteName, body, link }) => [
      ...paragraphsOf(body),
      `您收到此邮件，是因为您在 ${siteName} 拥有账户。如不想再收到公告邮件，请前往：`,
      { link },
    ],
  },
  workspace_invitation: {
    subject: ({ invitedBy, siteName }) => `${invitedBy} 邀请您加入 ${siteName} 的一个知识库`,
    paragraphs: ({ invitedBy, siteName, link }) => [
      `${invitedBy} 邀请您成为 ${siteName} 上一个知识库的成员。知识库可以根据其中的文档回答问题。请用此邮箱地址登录，然后在这里查看邀请：`,
      { link },
      '如果您还没有账户，请用此邮箱地址注册并确认邮箱。邀请在七天后失效。',
      '如果您不认识邀请人，请忽略此邮件。对方不会知道您是否有账户。',
    ],
  },
};
