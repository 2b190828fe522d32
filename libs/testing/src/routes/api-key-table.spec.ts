import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_KEY_ROWS } from './api-key-table';
import { credentialRows, TABLED_SERVICES } from './credential-table';

const GUIDE = join(__dirname, '../../../../docs/guides/api-keys.md');

const nameOf = ({ service, route }: { service: string; route: string }) => `${service} ${route}`;
const withKey = TABLED_SERVICES.flatMap(credentialRows).filter(
  ({ statuses }) => statuses.none === 401 && statuses.key !== 401,
);

describe('the table of API keys', () => {
  it('has every route that an API key opens', () => {
    expect(API_KEY_ROWS.map(nameOf).sort()).toEqual(withKey.map(nameOf).sort());
  });

  it('has a session where a session opens the route too', () => {
    for (const { service, route, sights } of API_KEY_ROWS) {
      const { statuses } = withKey.find((row) => nameOf(row) === `${service} ${route}`)!;
      const opensBySession = statuses.session !== 401 || statuses.cookie !== 401;
      expect([route, sights.session === 'refused']).toEqual([route, !opensBySession]);
    }
  });

  it('has no route that demands a role', () => {
    expect(withKey.filter(({ statuses }) => statuses.session === 403).map(nameOf)).toEqual([]);
  });

  it('is in the guide', () => {
    const rows = readFileSync(GUIDE, 'utf8').matchAll(/^\| ([a-z-]+) \| `([A-Z]+ \S+)` \| .+ \| .+ \|$/gm);
    const documented = [...rows].map(([, service = '', route = '']) => nameOf({ service, route }));
    expect(documented).toEqual(API_KEY_ROWS.map(nameOf));
  });
});
