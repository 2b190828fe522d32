import { either } from './either.mjs';

/**
 * The pages of administrators.
 *
 * @import { Page } from 'playwright-core'
 * @import { Picture } from './either.mjs'
 */

/** @param {Page} tab */
async function openCallsOfDemo(tab) {
  await openAccount(tab, 'demo@example.com');
  await tab.goto(`${new URL(tab.url()).pathname}/requests`);
  await tab.locator('tbody a').first().waitFor();
}

/** @param {Page} tab @param {string} email */
async function openAccount(tab, email) {
  await tab.locator('tbody a', { hasText: email }).first().click();
  await tab.waitForURL(/\/admin\/accounts\/acct_/);
}

/** @param {string} english @param {string} chinese */
const openPartOfDemo = (english, chinese) => async (/** @type {Page} */ tab) => {
  await openAccount(tab, 'demo@example.com');
  await tab.getByRole('tab', { name: either(english, chinese) }).click();
};

/** @param {RegExp} name of the first button of this name that is clicked */
const press = (name) => (/** @type {Page} */ tab) => tab.getByRole('button', { name }).first().click();

/** @type {Picture[]} */
export const ADMIN_PICTURES = [
  { name: 'admin-dashboard', path: '/admin/dashboard', byAdmin: true },
  { name: 'admin-margin', path: '/admin/margin', byAdmin: true },
  { name: 'admin-unserved', path: '/admin/unserved', byAdmin: true },
  {
    name: 'admin-margin-accounts',
    path: '/admin/margin',
    byAdmin: true,
    act: async (tab) => {
      await tab.getByRole('combobox', { name: either('Show by', '分组') }).click();
      await tab.getByRole('option', { name: either('Account', '账户') }).click();
      await tab.getByRole('combobox', { name: either('Sort by', '排序') }).waitFor();
    },
  },
  { name: 'admin-exports', path: '/admin/exports', byAdmin: true },
  { name: 'admin-exports-nothing', path: '/admin/exports?day=2020-01-01', byAdmin: true },
  { name: 'admin-staff', path: '/admin/staff', byAdmin: true },
  {
    name: 'admin-dashboard-month',
    path: '/admin/dashboard',
    byAdmin: true,
    act: (tab) => tab.getByText(either('30 days', '30 天')).click(),
  },
  { name: 'admin-provider-events', path: '/admin/provider-events', byAdmin: true },
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
      await tab.getByRole('button', { name: either('Adjust balance', '调整余额') }).click();
    },
  },
  {
    name: 'admin-account-role',
    path: '/admin/accounts',
    byAdmin: true,
    act: async (tab) => {
      await openAccount(tab, 'demo@example.com');
      await tab.getByRole('button', { name: either('Change role', '更改角色') }).click();
    },
  },
  {
    name: 'admin-account-suspend',
    path: '/admin/accounts',
    byAdmin: true,
    act: async (tab) => {
      await openAccount(tab, 'demo@example.com');
      await tab.getByRole('button', { name: either('Suspend', '停用') }).click();
    },
  },
  {
    name: 'admin-account-timeline',
    path: '/admin/accounts',
    byAdmin: true,
    act: openPartOfDemo('Timeline', '时间线'),
  },
  {
    name: 'admin-account-keys',
    path: '/admin/accounts',
    byAdmin: true,
    act: openPartOfDemo('API keys', 'API 密钥'),
  },
  {
    name: 'admin-account-limits',
    path: '/admin/accounts',
    byAdmin: true,
    act: openPartOfDemo('Limits', '速率限制'),
  },
  {
    name: 'admin-account-limits-set',
    path: '/admin/accounts',
    byAdmin: true,
    act: async (tab) => {
      await openPartOfDemo('Limits', '速率限制')(tab);
      await press(either('Set limits', '设置限制'))(tab);
    },
  },
  {
    name: 'admin-account-access',
    path: '/admin/accounts',
    byAdmin: true,
    act: openPartOfDemo('Devices and content', '设备与内容'),
  },
  {
    name: 'admin-account-notes',
    path: '/admin/accounts',
    byAdmin: true,
    act: openPartOfDemo('Notes', '备注'),
  },
  { name: 'admin-account-requests', path: '/admin/accounts', byAdmin: true, act: openCallsOfDemo },
  {
    name: 'admin-account-request',
    path: '/admin/accounts',
    byAdmin: true,
    act: async (tab) => {
      await openCallsOfDemo(tab);
      await tab.locator('tbody a').first().click();
      await tab.waitForURL(/\/requests\/req_/);
    },
  },
  { name: 'cost-report', path: '/cost-report', byAdmin: true },
  { name: 'cost-report-models', path: '/cost-report?by=model', byAdmin: true },
  { name: 'admin-payments', path: '/admin/payments', byAdmin: true },
  { name: 'admin-payments-refunds', path: '/admin/payments/refunds', byAdmin: true },
  {
    name: 'admin-payment',
    path: '/admin/payments',
    byAdmin: true,
    act: (tab) => tab.locator('tbody a').first().click(),
  },
  { name: 'admin-events', path: '/admin/events', byAdmin: true },
  { name: 'admin-health', path: '/admin/health', byAdmin: true },
  { name: 'admin-pricing', path: '/admin/pricing', byAdmin: true },
  { name: 'admin-pricing-costs', path: '/admin/pricing/costs', byAdmin: true },
  {
    name: 'admin-pricing-below-cost',
    path: '/admin/pricing/costs',
    byAdmin: true,
    act: async (tab) => {
      await tab.locator('tbody input').first().fill('900');
      await tab.getByRole('button', { name: either('Review the changes', '查看修改') }).click();
      await tab.getByRole('alert').getByText(either('Below cost', '低于成本')).waitFor();
    },
  },
  {
    name: 'admin-pricing-review',
    path: '/admin/pricing',
    byAdmin: true,
    act: async (tab) => {
      await tab.locator('tbody input').first().fill('1.23');
      await tab.getByRole('button', { name: either('Review the changes', '查看修改') }).click();
    },
  },
  {
    name: 'admin-pricing-restored',
    path: '/admin/pricing',
    byAdmin: true,
    act: async (tab) => {
      await tab.locator('tbody input').first().fill('1.23');
      await tab.reload();
      await tab.getByRole('button', { name: either('Discard', '放弃修改') }).waitFor();
    },
  },
  {
    name: 'admin-pricing-percent',
    path: '/admin/pricing',
    byAdmin: true,
    act: async (tab) => {
      await tab.getByRole('textbox', { name: either('Change in percent', '变动百分比') }).fill('ten');
      await press(/^(Change|修改) \d+/)(tab);
    },
  },
  { name: 'admin-pricing-gpus', path: '/admin/pricing/gpus', byAdmin: true },
  { name: 'admin-pricing-training', path: '/admin/pricing/training', byAdmin: true },
  { name: 'admin-upstreams', path: '/admin/upstreams', byAdmin: true },
  {
    name: 'admin-upstreams-edit',
    path: '/admin/upstreams',
    byAdmin: true,
    act: (tab) =>
      tab
        .getByRole('button', { name: /^(Edit|编辑) / })
        .first()
        .click(),
  },
  {
    name: 'admin-upstreams-add',
    path: '/admin/upstreams',
    byAdmin: true,
    act: async (tab) => {
      await press(either('Add an upstream', '添加上游服务'))(tab);
      await press(either('Add a model', '添加模型'))(tab);
    },
  },
  {
    name: 'admin-upstreams-test',
    path: '/admin/upstreams',
    byAdmin: true,
    act: press(/^(Test|测试) /),
  },
  {
    name: 'admin-upstreams-remove',
    path: '/admin/upstreams',
    byAdmin: true,
    act: press(/^(Remove|移除) /),
  },
  { name: 'admin-served-models', path: '/admin/served-models', byAdmin: true },
  {
    name: 'admin-served-models-add',
    path: '/admin/served-models',
    byAdmin: true,
    act: (tab) =>
      tab
        .getByRole('button', { name: either('Add a model', '添加模型') })
        .first()
        .click(),
  },
  { name: 'admin-exchange-rates', path: '/admin/exchange-rates', byAdmin: true },
  { name: 'admin-models', path: '/admin/models', byAdmin: true },
  {
    name: 'admin-models-create',
    path: '/admin/models',
    byAdmin: true,
    act: (tab) =>
      tab
        .getByRole('button', { name: either('Add a model', '新建模型') })
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
  { name: 'admin-announcements', path: '/admin/announcements', byAdmin: true },
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
      const [title, text] =
        (await tab.locator('html').getAttribute('lang')) === 'en'
          ? ['Engine 2.0', 'Streams are *twice* as fast.\n\n- first\n- second']
          : ['推理引擎 2.0', '流式输出*快了一倍*。\n\n- 第一\n- 第二'];
      await tab.getByRole('textbox', { name: either('Title', '标题') }).fill(title);
      await tab.getByRole('textbox', { name: either('Text', '正文') }).fill(text);
    },
  },
  { name: 'admin-downloads', path: '/admin/downloads', byAdmin: true },
];
