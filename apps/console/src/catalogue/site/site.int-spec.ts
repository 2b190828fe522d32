import { randomBytes } from 'node:crypto';
import { TestConsole } from '../../testing/console.fixture';

const NOWHERE = 'postgres://console@127.0.0.1:1/platform';

describe('the site', () => {
  it.each([
    [
      {
        SITE_NAME: 'Acme',
        SIGNUP: 'closed',
        ENVIRONMENTS_URL: 'http://environments.test',
        GATEWAY_CREDENTIAL: randomBytes(24).toString('hex'),
        TERMS_URL: 'https://www.example.com/terms/',
        TERMS_VERSION: '2026-11',
        PRIVACY_URL: 'https://www.example.com/privacy',
        SUPPORT_CONTACT: 'help@example.com',
      },
      {
        name: 'Acme',
        region: 'intl',
        currency: 'USD',
        time_zone: 'UTC',
        signup: 'closed',
        terms: { url: 'https://www.example.com/terms/', version: '2026-11' },
        links: {
          privacy: 'https://www.example.com/privacy',
          imprint: null,
          status: null,
          support: 'mailto:help@example.com',
        },
        icp_number: null,
      },
    ],
    [
      {
        SITE: 'cn',
        ICP_NUMBER: '京ICP备00000000号-1',
        IMPRINT_URL: 'https://www.example.cn/imprint',
        STATUS_URL: 'https://status.example.cn',
        SUPPORT_CONTACT: 'https://help.example.cn/',
      },
      {
        terms: null,
        links: {
          privacy: null,
          imprint: 'https://www.example.cn/imprint',
          status: 'https://status.example.cn',
          support: 'https://help.example.cn/',
        },
        icp_number: '京ICP备00000000号-1',
        name: 'Inference Platform',
        region: 'cn',
        currency: 'CNY',
        time_zone: 'Asia/Shanghai',
        signup: 'open',
      },
    ],
  ])('describes itself for %j', async (environment, expected) => {
    const console = await TestConsole.start(NOWHERE, environment as Record<string, string>);
    const answer = await console.request('GET', '/api/site');
    await console.close();
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...expected,
      languages: expected.region === 'cn' ? ['zh-CN', 'en'] : ['en', 'zh-CN'],
      urls: {
        gateway: 'http://gateway.test',
        training: 'http://training.test',
        router: 'http://router.test',
        agent: 'http://agent.test',
        memo: 'http://memo.test',
        ...('ENVIRONMENTS_URL' in environment && { environments: environment.ENVIRONMENTS_URL }),
      },
      features: { playground: 'GATEWAY_CREDENTIAL' in environment, agents: false },
      oauth_providers: [],
    });
  });
});
