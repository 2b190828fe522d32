import { type Site } from '@inference/config';
import { SandboxCodeHost } from '@inference/sandbox-code-host';
import { CodeHost } from './code-host';
import { CodeHostError } from './code-host-request';
import { hostedRelease } from '../releases.fixture';

const REPOSITORY = 'acme/engine';

describe.each<Site>(['intl', 'cn'])('the client of the code host of the %s site', (name) => {
  let sandbox: SandboxCodeHost;
  const hostWithin = (answerMillis?: number) => {
    const { CODE_HOST_URL: url, CODE_HOST_API_URL: apiUrl } = sandbox.consoleEnvironment({});
    const config = { url: url!, apiUrl: apiUrl!, token: undefined, repositories: {}, pollSeconds: 10 };
    return new CodeHost(config, name, answerMillis);
  };

  beforeAll(async () => {
    sandbox = await SandboxCodeHost.start({ site: name });
    await sandbox.publish(REPOSITORY, hostedRelease('v1.0.0'));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await sandbox.tell();
  });
  afterAll(() => sandbox.stop());

  it.each(['hang', 'stalled'] as const)('times out: %s', async (fault) => {
    await sandbox.tell({ fault });
    const reading = hostWithin(300).readLatest(REPOSITORY, null, new AbortController().signal);
    await expect(reading).rejects.toThrow(
      new CodeHostError('the code host has not answered within 0.3 seconds'),
    );
  });

  it('allows ten seconds for each response', async () => {
    const limit = jest.spyOn(AbortSignal, 'timeout');
    const { release } = await hostWithin().readLatest(REPOSITORY, null, new AbortController().signal);
    expect(release?.tag).toBe('v1.0.0');
    expect(limit.mock.calls).toEqual(name === 'intl' ? [[10_000]] : [[10_000], [10_000]]);
  });
});
