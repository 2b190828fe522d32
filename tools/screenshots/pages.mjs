import { ADMIN_PICTURES } from './admin-pages.mjs';
import { either } from './either.mjs';

/**
 * What `npm run screenshots` takes pictures of.
 *
 * @import { Page } from 'playwright-core'
 * @import { Picture } from './either.mjs'
 */

/** @param {Page} tab */
const openWorkspace = (tab) => tab.locator('tbody a').first().click();

/** @param {Page} tab @returns {Promise<boolean>} whether the document of the first start is Chinese */
async function isInChina(tab) {
  /** @type {{ currency: string }} */
  const site = await tab.evaluate("fetch('/api/site').then((answer) => answer.json())");
  return site.currency === 'CNY';
}

/** @param {Page} tab */
async function askWorkspace(tab) {
  await openWorkspace(tab);
  await tab
    .locator('main')
    .getByRole('link', { name: either('Ask', '提问') })
    .click();
  await tab
    .getByRole('textbox', { name: either('Your question', '您的问题') })
    .fill(
      (await isInChina(tab))
        ? '演示账户的初始额度是多少？'
        : 'How much credit does the demo account begin with?',
    );
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
  { name: 'unsubscribe', path: '/unsubscribe#token=0000000000000000000000', isPublic: true },
  { name: 'unsubscribe-invalid', path: '/unsubscribe', isPublic: true },
  {
    name: 'verify-email-refused',
    path: '/verify-email#token=vrf_unknown',
    isPublic: true,
    act: (tab) => tab.getByRole('button', { name: either('Confirm the address', '确认邮箱') }).click(),
  },
  { name: 'landing', path: '/', isPublic: true },
  { name: 'models', path: '/models', isPublic: true },
  { name: 'packages', path: '/packages', isPublic: true },
  { name: 'packages-nothing', path: '/packages?q=nothing', isPublic: true },
  { name: 'package', path: '/packages/sandbox-chat', isPublic: true },
  { name: 'package-signed-in', path: '/packages/sandbox-chat' },
  { name: 'package-missing', path: '/packages/no-such-model', isPublic: true },
  { name: 'docs', path: '/docs', isPublic: true },
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
  { name: 'status', path: '/status', isPublic: true },
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
  { name: 'requests-refused', path: '/requests?status=refused' },
  {
    name: 'request-refused',
    path: '/requests?status=refused',
    act: (tab) => tab.locator('tbody a').first().click(),
  },
  { name: 'transactions', path: '/transactions' },
  { name: 'payments', path: '/payments' },
  { name: 'payments-refunds', path: '/payments/refunds' },
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
      await tab.getByRole('button', { name: either('Pay', '支付') }).click();
    },
  },
  { name: 'keys', path: '/keys' },
  { name: 'limits', path: '/limits' },
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
    name: 'keys-rotate',
    path: '/keys',
    act: (tab) =>
      tab
        .getByRole('button', { name: /^(Give the key|轮换密钥) / })
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
      await tab.getByText(/^(At most|最多花费)/).waitFor();
    },
  },
  {
    name: 'playground-code',
    path: '/playground',
    act: (tab) => tab.getByRole('button', { name: either('View code', '查看代码') }).click(),
  },
  {
    name: 'playground-history',
    path: '/playground',
    act: (tab) => tab.getByRole('button', { name: either('History', '历史记录') }).click(),
  },
  {
    name: 'playground-settings',
    path: '/playground',
    act: async (tab) => {
      await tab.getByRole('textbox', { name: either('Your message', '您的消息') }).waitFor();
      const settings = tab.getByRole('button', { name: either('Settings', '设置'), exact: true });
      if ((await settings.getAttribute('aria-expanded')) === 'false') await settings.click();
      await tab.getByRole('textbox', { name: 'Top P' }).fill('7');
    },
  },
  { name: 'agents', path: '/agents' },
  {
    name: 'agents-more',
    path: '/agents',
    act: (tab) =>
      tab
        .locator('main')
        .getByRole('button', { name: either('More', '更多') })
        .click(),
  },
  {
    name: 'agent',
    path: '/agents',
    act: async (tab) => {
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
  {
    name: 'agents-list',
    path: '/agents',
    act: (tab) => tab.locator('tbody input[type=checkbox]').first().check(),
  },
  {
    name: 'agents-rename',
    path: '/agents',
    act: (tab) => tab.locator('tbody button:has(.lucide-pencil)').first().click(),
  },
  {
    name: 'agents-delete',
    path: '/agents',
    act: (tab) => tab.locator('tbody button:has(.lucide-trash-2)').first().click(),
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
    name: 'workspace-invite',
    path: '/workspaces',
    act: async (tab) => {
      await openWorkspace(tab);
      await tab.getByRole('link', { name: either('Members', '成员') }).click();
      await tab.getByRole('button', { name: either('Invite a member', '邀请成员') }).click();
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
  {
    name: 'workspace-feedback',
    path: '/workspaces',
    act: async (tab) => {
      await openWorkspace(tab);
      await tab.getByRole('link', { name: either('Feedback', '反馈') }).click();
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
  ...ADMIN_PICTURES,
  {
    name: 'command-palette',
    path: '/keys',
    act: (tab) => tab.keyboard.press('Control+k'),
  },
];
