import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolesOfRoute, seesAllCost, STAFF_ROLES, STAFF_ROUTES, type StaffRole } from './staff-table';

const routesOf = (role: StaffRole) => STAFF_ROUTES.filter((route) => rolesOfRoute(route).includes(role));
/** Reads, but takes a text that must not be in an address. */
const SEARCH = 'POST /api/admin/accounts/search';
const isChange = (route: string) => !route.startsWith('GET ') && route !== SEARCH;
const changesOf = (role: StaffRole) => routesOf(role).filter(isChange);

/** The first that fits the path of a route is its area. */
const AREAS: [name: string, path: RegExp][] = [
  ['Prices and cost prices', /pricing|cost-prices/],
  ['Accounts, their keys and calls, audit', /\/(accounts|requests|staff|events)(\/|$)/],
  ['Payments, refunds, adjustments, exchange rates', /\/billing\//],
  ['Dashboard, reports, exports', /dashboard|report|exports/],
  ['Upstreams and served models', /upstreams|inference/],
  ['Packages, releases, changelog, downloads', /models|package-uploads|releases|changelog|downloads/],
  ['Announcements', /announcements/],
  ['Health', /health/],
  ['Quotas of training', /quotas/],
];
const areaOf = (route: string) => AREAS.find(([, path]) => path.test(route))![0];

/** `reads + changes` of each role in each area. */
function countTable(): string {
  const cell = (role: StaffRole, area?: string) => {
    const routes = routesOf(role).filter((route) => area === undefined || areaOf(route) === area);
    const changes = routes.filter(isChange).length;
    return `${routes.length - changes} + ${changes}`;
  };
  const line = (name: string, area?: string) =>
    `| ${[name, ...STAFF_ROLES.map((role) => cell(role, area))].join(' | ')} |`;
  return [
    `| Routes | ${STAFF_ROLES.map((role) => `\`${role}\``).join(' | ')} |`,
    `|---|${STAFF_ROLES.map(() => '---|').join('')}`,
    ...AREAS.map(([name]) => line(name, name)),
    line('all'),
  ].join('\n');
}

/** What the roles are for, in words that a wrong line of the table contradicts. */
describe('the table of routes and roles', () => {
  it('opens every route to admins, and an unknown one to admins alone', () => {
    expect(routesOf('admin')).toEqual(STAFF_ROUTES);
    expect(rolesOfRoute('POST /api/admin/unknown')).toEqual(['admin']);
  });

  it.each([
    'PUT /api/admin/accounts/:id/role',
    'GET /api/admin/staff',
    // The specification: admin endpoints require the admin role.
    'PUT /api/admin/billing/pricing/models',
    'PUT /api/admin/billing/pricing/gpus',
  ])('keeps %s for admins', (route) => {
    expect(STAFF_ROUTES).toContain(route);
    expect(rolesOfRoute(route)).toEqual(['admin']);
  });

  it('lets analysts change nothing, and see no account', () => {
    expect(changesOf('analyst')).toEqual([]);
    expect(routesOf('analyst').filter((route) => route.includes('/accounts'))).toEqual([]);
  });

  it('lets only finance move money, and finance change neither models nor prices', () => {
    const moves = /^(POST|PUT|PATCH|DELETE) .*\/(adjustments|refund|exchange-rates|provider-events)/;
    for (const role of STAFF_ROLES)
      if (role !== 'admin' && role !== 'finance')
        expect(changesOf(role).filter((r) => moves.test(r))).toEqual([]);
    expect(changesOf('finance').every((route) => moves.test(route))).toBe(true);
  });

  it('lets operators see no account and no payment', () => {
    expect(routesOf('operator').filter((route) => /accounts|payments|refunds|events/.test(route))).toEqual(
      [],
    );
  });

  it('lets support change nothing of prices, models and money', () => {
    expect(
      changesOf('support').filter((route) => /billing|models|releases|package|changelog/.test(route)),
    ).toEqual([]);
  });

  it('is counted in the document of the roles', () => {
    const text = readFileSync(join(__dirname, '../../../../docs/operations/staff.md'), 'utf8');
    expect(/\| Routes [^]*?\n(?=\n)/.exec(text)?.[0].trim()).toBe(countTable());
  });

  it('shows the cost of all accounts to those who read reports', () => {
    expect((['user', ...STAFF_ROLES] as const).filter(seesAllCost)).toEqual(['admin', 'finance', 'analyst']);
  });
});
