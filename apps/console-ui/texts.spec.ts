import { readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The texts of all features. That Chinese has every key is checked by type. */

const SOURCES = join(__dirname, 'src');
/** i18next appends it to the key by the number. */
const PLURAL_FORM = /_(one|other)$/;
/** Names that are the same in both languages, and texts that are nothing but a placeholder or a symbol. */
const SAME_IN_BOTH = new Set(['GPU', 'GPUs', 'UTC', 'curl']);

const folders = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(^|\/)texts\/en\.ts$/.test(file))
  .map((file) => join(SOURCES, dirname(file)));

const read = (folder: string, name: 'en' | 'zh') =>
  (jest.requireActual(join(folder, `${name}.ts`)) as Record<string, Record<string, string>>)[name]!;
const placeholdersOf = (text: string) => (text.match(/\{\{[^}]*\}\}/g) ?? []).sort();

it('finds the texts', () => {
  expect(folders.length).toBeGreaterThan(2);
});

describe.each(folders.map((folder) => [relative(SOURCES, folder), folder]))('%s', (_name, folder) => {
  const english = read(folder, 'en');
  const chinese = read(folder, 'zh');

  it('has the same placeholders in both languages', () => {
    for (const [key, text] of Object.entries(chinese))
      expect({ key, placeholders: placeholdersOf(text) }).toEqual({
        key,
        placeholders: placeholdersOf(english[key] ?? ''),
      });
  });

  it('has no text that was left in the other language', () => {
    const untranslated = Object.entries(chinese).filter(
      ([key, text]) => text === english[key] && !SAME_IN_BOTH.has(text),
    );
    expect(untranslated).toEqual([]);
    expect(Object.entries(english).filter(([, text]) => /\p{Script=Han}/u.test(text))).toEqual([]);
  });

  it('has both plural forms in English', () => {
    const forms = Object.keys(english).filter((key) => PLURAL_FORM.test(key));
    for (const key of forms) expect(Object.keys(english)).toContain(key.replace(PLURAL_FORM, '_one'));
  });
});
