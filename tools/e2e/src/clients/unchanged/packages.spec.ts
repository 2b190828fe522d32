import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readGuide } from './guide-lines';

const GUIDE = readGuide('clients.md');
/** Parts of what the guide names. */
const UNNAMED = ['@langchain/core', '@llamaindex/workflow', 'zod'];

test.each(['sdks', 'agents'])('the guide tells the versions of the %s that are tried', (name) => {
  const { dependencies } = JSON.parse(readFileSync(join(__dirname, name, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const rows = GUIDE.split('\n').filter((line) => line.startsWith('|'));
  const missing = Object.entries(dependencies).filter(
    ([each, version]) =>
      !UNNAMED.includes(each) && !rows.some((row) => row.includes(`\`${each}\``) && row.includes(version)),
  );
  expect(missing).toEqual([]);
});

/** Without what is called otherwise in the programs, and what makes them fail at once. */
const normalized = (code: string) =>
  code
    .replaceAll(/\bt\.|\s|\bLlama(?=OpenAI)/g, '')
    .replaceAll('LlamaResponses', 'OpenAIResponses')
    .replaceAll('V1', "GATEWAY+'/v1'")
    .replaceAll(/maxRetries:0,?/g, '')
    .replaceAll(/,(?=[}\])])/g, '');

it('tells the lines with which the SDKs are tried', () => {
  const folder = join(__dirname, 'sdks');
  const programs = readdirSync(folder)
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => normalized(readFileSync(join(folder, name), 'utf8')))
    .join('\n');
  const lines = GUIDE.slice(GUIDE.indexOf('| Software |'), GUIDE.indexOf('## Command-line agents')).matchAll(
    /`([^`.]*[({][^`]*)`/g,
  );
  const told = [...lines].map(([, line]) => line!);
  expect(told.length).toBeGreaterThan(12);
  expect(told.filter((line) => !programs.includes(normalized(line)))).toEqual([]);
});
