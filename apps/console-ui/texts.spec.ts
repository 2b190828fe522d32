import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The texts of all features. That Chinese has every key is checked by type. */

const SOURCES = join(__dirname, 'src');
/** i18next appends it to the key by the number. */
const PLURAL_FORM = /_(one|other)$/;
/** Names that are the same in both languages, and texts that are nothing but a placeholder or a symbol. */
const SAME_IN_BOTH = new Set(['GPU', 'GPUs', 'ID', 'Top P', 'UTC', 'curl']);

type Texts = Record<string, string>;

const mockDefinitions: [namespace: string, english: Texts, chinese: Texts][] = [];

jest.mock('./src/language/define-texts', () => ({
  defineTexts: (...definition: (typeof mockDefinitions)[number]) => {
    mockDefinitions.push(definition);
  },
}));

const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('-texts.ts') && !file.endsWith('define-texts.ts'),
);
for (const file of files) jest.requireActual(join(SOURCES, file));

const placeholdersOf = (text: string) => (text.match(/\{\{[^}]*\}\}/g) ?? []).sort();

it('finds the texts', () => {
  expect(files.length).toBeGreaterThan(2);
  expect(mockDefinitions).toHaveLength(files.length);
});

describe.each(mockDefinitions)('%s', (_namespace, english, chinese) => {
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
