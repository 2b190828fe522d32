/**
 * What `npm run screenshots` takes pictures of.
 *
 * @import { Page } from 'playwright-core'
 *
 * @typedef {object} Picture
 * @property {string} name of the file
 * @property {string} path of the page
 * @property {boolean} [isPublic] whether a visitor sees it; others are taken by the demo account
 * @property {boolean} [byAdmin] taken by the admin
 * @property {(tab: Page) => Promise<unknown>} [act] brings the page into the state of the picture, in either language
 */

/** @param {string} english @param {string} chinese @returns {RegExp} a name in either language */
const either = (english, chinese) => new RegExp(`^(${english}|${chinese})$`);

/** @param {Page} tab */
const openWorkspace = (tab) => tab.locator('tbody a').first().click();

/** @param {Page} tab */
async function askWorkspace(tab) {
  await openWorkspace(tab);
  await tab
    .locator('main')
    .getByRole('link', { name: either('Ask', '提问') })
    .click();
  await tab
    .getByRole('textbox', { name: either('Your question', '您的问题') })
    .fill('How much credit does the demo account begin with?');
  await tab.getByRole('button', { name: either('Ask', '提问') }).click();
  await tab
    .getByRole('button', { name: /^(Show passage|查看 .* 中的引用)/ })
    .last()
    .waitFor();
}

/** @type {Picture[]} */
export const PICTURES = [
  { name: 'sign-in', path: '/sign-in', isPublic: true },
  {
    name: 'sign-in-refused',
    path: '/sign-in',
    isPublic: true,
    act: (tab) =>
      tab
        .getByRole('button', { name: either('Sign in', '登录') })
        .last()
        .click(),
  },
  { name: 'register', path: '/register', isPublic: true },
  { name: 'forgot-password', path: '/forgot-password', isPublic: true },
  {
    name: 'forgot-password-sent',
    path: '/forgot-password',
    isPublic: true,
    act: async (tab) => {
      await tab.locator('main input').fill('nobody@example.com');
      await tab.getByRole('button', { name: either('Send the mail', '发送邮件') }).click();
    },
  },
  { name: 'reset-password', path: '/reset-password', isPublic: true },
  { name: 'verify-email', path: '/verify-email', isPublic: true },
  {
    name: 'verify-email-refused',
    path: '/verify-email#token=vrf_unknown',
    isPublic: true,
    act: (tab) => tab.getByRole('button', { name: either('Confirm the address', '确认邮箱') }).click(),
  },
  { name: 'landing', path: '/', isPublic: true },
  { name: 'models', path: '/models', isPublic: true },
  { name: 'models-nothing', path: '/models?q=nothing', isPublic: true },
  { name: 'model', path: '/models/sandbox-chat', isPublic: true },
  { name: 'model-signed-in', path: '/models/sandbox-chat' },
  { name: 'model-missing', path: '/models/no-such-model', isPublic: true },
  { name: 'downloads', path: '/downloads', isPublic: true },
  {
    name: 'downloads-files',
    path: '/downloads',
    isPublic: true,
    act: (tab) => tab.locator('main button[aria-expanded]').first().click(),
  },
  { name: 'changelog', path: '/changelog', isPublic: true },
  { name: 'pricing', path: '/pricing', isPublic: true },
  { name: 'not-found', path: '/no-such-page', isPublic: true },
  { name: 'overview', path: '/overview' },
  { name: 'usage', path: '/usage' },
  { name: 'usage-empty', path: '/usage?range=last-month' },
  { name: 'requests', path: '/requests' },
  {
    name: 'request',
    path: '/requests',
    act: (tab) => tab.locator('tbody a').first().click(),
  },
  { name: 'transactions', path: '/transactions' },
  { name: 'payments', path: '/payments' },
  { name: 'invoices', path: '/invoices' },
  {
    name: 'payment',
    path: '/payments',
    act: (tab) => tab.locator('tbody a').first().click(),
  },
  { name: 'top-up', path: '/top-up' },
  {
    name: 'top-up-refused',
    path: '/top-up',
    act: async (tab) => {
      await tab.getByRole('textbox', { name: either('Amount', '金额') }).fill('1');
      await tab.getByRole('button', { name: either('Go on to pay', '去支付') }).click();
    },
  },
  { name: 'keys', path: '/keys' },
  {
    name: 'keys-create',
    path: '/keys',
    act: (tab) => tab.getByRole('button', { name: either('Create a key', '创建密钥') }).click(),
  },
  {
    name: 'keys-edit',
    path: '/keys',
    act: (tab) =>
      tab
        .getByRole('button', { name: /^(Edit the key|编辑密钥) / })
        .first()
        .click(),
  },
  {
    name: 'playground',
    path: '/playground',
    act: async (tab) => {
      const message = tab.getByRole('textbox', { name: either('Your message', '您的消息') });
      await message.fill('Say something about the sea.');
      await tab.getByRole('button', { name: either('Send', '发送') }).click();
      await tab
        .getByText(/^(Cost|费用)/)
        .last()
        .waitFor();
      await message.fill('And about the mountains?');
      await tab.getByText(/^(Costs at most|最多花费)/).waitFor();
    },
  },
  {
    name: 'playground-code',
    path: '/playground',
    act: (tab) => tab.getByRole('button', { name: either('As code', '查看代码') }).click(),
  },
  { name: 'agents', path: '/agents' },
  {
    name: 'agents-create',
    path: '/agents',
    act: (tab) =>
      tab
        .getByRole('button', { name: either('New conversation', '新建对话') })
        .first()
        .click(),
  },
  {
    name: 'agent',
    path: '/agents',
    act: async (tab) => {
      await tab
        .getByRole('button', { name: either('New conversation', '新建对话') })
        .first()
        .click();
      await tab.getByRole('button', { name: either('Begin', '开始') }).click();
      await tab
        .getByRole('textbox', { name: either('Your message', '您的消息') })
        .fill('Say something about the sea.');
      await tab.getByRole('button', { name: either('Send', '发送') }).click();
      await tab
        .getByRole('article', { name: either('Agent', '智能体') })
        .last()
        .waitFor();
    },
  },
  { name: 'workspaces', path: '/workspaces' },
  {
    name: 'workspaces-create',
    path: '/workspaces',
    act: (tab) =>
      tab
        .getByRole('button', { name: either('Create a workspace', '创建知识库') })
        .first()
        .click(),
  },
  { name: 'workspace', path: '/workspaces', act: openWorkspace },
  {
    name: 'workspace-ask',
    path: '/workspaces',
    act: askWorkspace,
  },
  {
    name: 'workspace-passage',
    path: '/workspaces',
    act: async (tab) => {
      await askWorkspace(tab);
      await tab
        .getByRole('button', { name: /^(Show passage|查看 .* 中的引用)/ })
        .last()
        .click();
    },
  },
  {
    name: 'workspace-members',
    path: '/workspaces',
    act: async (tab) => {
      await openWorkspace(tab);
      await tab.getByRole('link', { name: either('Members', '成员') }).click();
    },
  },
  {
    name: 'workspace-keys',
    path: '/workspaces',
    act: async (tab) => {
      await openWorkspace(tab);
      await tab
        .locator('main')
        .getByRole('link', { name: either('Keys', '密钥') })
        .click();
    },
  },
  { name: 'training', path: '/training' },
  { name: 'settings', path: '/settings' },
  { name: 'settings-security', path: '/settings/security' },
  {
    name: 'settings-second-factor',
    path: '/settings/security',
    act: (tab) =>
      tab.getByRole('button', { name: either('Turn on the second factor', '开启两步验证') }).click(),
  },
  { name: 'settings-identities', path: '/settings/identities' },
  { name: 'settings-sessions', path: '/settings/sessions' },
  { name: 'settings-events', path: '/settings/events' },
  { name: 'admin-accounts', path: '/admin/accounts', byAdmin: true },
  { name: 'admin-accounts-nothing', path: '/admin/accounts?q=nobody', byAdmin: true },
  {
    name: 'admin-account',
    path: '/admin/accounts',
    byAdmin: true,
    act: (tab) => tab.locator('tbody a').first().click(),
  },
  {
    name: 'admin-account-adjust',
    path: '/admin/accounts',
    byAdmin: true,
    act: async (tab) => {
      await tab.locator('tbody a').first().click();
      await tab.getByRole('button', { name: either('Adjust the balance', '调整余额') }).click();
    },
  },
  { name: 'admin-payments', path: '/admin/payments', byAdmin: true },
  {
    name: 'admin-payment',
    path: '/admin/payments',
    byAdmin: true,
    act: (tab) => tab.locator('tbody a').first().click(),
  },
  { name: 'admin-events', path: '/admin/events', byAdmin: true },
  { name: 'admin-health', path: '/admin/health', byAdmin: true },
  { name: 'admin-pricing', path: '/admin/pricing', byAdmin: true },
  {
    name: 'admin-pricing-review',
    path: '/admin/pricing',
    byAdmin: true,
    act: async (tab) => {
      await tab.locator('tbody input').first().fill('1.23');
      await tab.getByRole('button', { name: either('Review the changes', '查看修改') }).click();
    },
  },
  { name: 'admin-pricing-gpus', path: '/admin/pricing/gpus', byAdmin: true },
  { name: 'admin-pricing-training', path: '/admin/pricing/training', byAdmin: true },
  { name: 'admin-exchange-rates', path: '/admin/exchange-rates', byAdmin: true },
  { name: 'admin-models', path: '/admin/models', byAdmin: true },
  {
    name: 'admin-models-create',
    path: '/admin/models',
    byAdmin: true,
    act: (tab) =>
      tab
        .getByRole('button', { name: either('Describe a model', '新建模型') })
        .first()
        .click(),
  },
  {
    name: 'admin-model',
    path: '/admin/models',
    byAdmin: true,
    act: (tab) => tab.locator('tbody a').first().click(),
  },
  { name: 'admin-releases', path: '/admin/releases', byAdmin: true },
  {
    name: 'admin-releases-create',
    path: '/admin/releases',
    byAdmin: true,
    act: (tab) => tab.getByRole('button', { name: either('Publish a release', '发布新版本') }).click(),
  },
  { name: 'admin-changelog', path: '/admin/changelog', byAdmin: true },
  {
    name: 'admin-changelog-create',
    path: '/admin/changelog',
    byAdmin: true,
    act: async (tab) => {
      await tab
        .getByRole('button', { name: either('New entry', '新建条目') })
        .first()
        .click();
      await tab.getByRole('textbox', { name: either('Title', '标题') }).fill('Engine 2.0');
      await tab
        .getByRole('textbox', { name: either('Text', '正文') })
        .fill('Streams are *twice* as fast.\n\n- first\n- second');
    },
  },
  { name: 'admin-downloads', path: '/admin/downloads', byAdmin: true },
  {
    name: 'command-palette',
    path: '/keys',
    act: (tab) => tab.keyboard.press('Control+k'),
  },
];
