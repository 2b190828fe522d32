import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Run, SiteRuns } from '../deployment/site-runs';
import { expectHealthy, expectUsable } from '../deployment/site-checks';
import { runCommand } from './restored-database';

jest.setTimeout(900_000);

let runs: SiteRuns;
let run: Run;

beforeAll(async () => {
  runs = new SiteRuns();
  run = await runs.newRun();
});
afterAll(() => runs.cleanUp());

test('the site of npm start is backed up while it runs, and goes on from its backup', async () => {
  const backups = (name: string) => join(runs.folder, name);
  const environment = { DATA_DIR: run.dataDir };
  await run.start({ BACKUP_DIR: backups('first') });
  expect(run.launcher.output).toContain(`backups       ${backups('first')}`);
  expect(await runCommand('backup', [], environment)).toMatchObject({ code: 0 });
  expect(await runCommand('restore', ['--replace'], environment)).toEqual({
    code: 2,
    output: `--to: ${join(run.dataDir, 'postgres')} is in use by a running site.\n`,
  });
  await run.launcher.stop();

  expect((await runCommand('restore', [], environment)).output).toContain(
    'With --replace it is moved aside.',
  );
  expect(await runCommand('restore', ['--replace'], environment)).toMatchObject({ code: 0 });
  const moved = readdirSync(run.dataDir).filter((name) => name.startsWith('postgres.replaced-'));
  expect(moved).toHaveLength(1);

  await run.start({ BACKUP_DIR: backups('second') });
  await expectHealthy(run.platform);
  await expectUsable(run.platform, 'USD');
  expect(await runCommand('backup', [], environment)).toMatchObject({ code: 0 });
});

test('a site without a backup folder says how it gets one', async () => {
  await run.launcher.stop();
  await run.start();
  expect(await runCommand('backup', [], { DATA_DIR: run.dataDir })).toEqual({
    code: 2,
    output: 'The database does not archive its log. Start the site with BACKUP_DIR=<folder> npm start.\n',
  });
});
