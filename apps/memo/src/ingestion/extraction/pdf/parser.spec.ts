import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PARSER = join(__dirname, '../../../../../../dist/apps/memo/src/ingestion/extraction/pdf/parser.js');

it('loads the parser of pdf.js with the option that services are started with', async () => {
  const script = `require(${JSON.stringify(PARSER)}).loadParser().then((parser) => console.log(typeof parser.WorkerMessageHandler))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--enable-source-maps', '-e', script]);
  expect(stdout).toBe('function\n');
});
