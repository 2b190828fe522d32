import { ignoredHeader } from './ignored-fields';

describe('the header for ignored fields', () => {
  it('names each kind once', () => {
    const schemas = Array.from({ length: 1_000 }, (_, i) => `tools.${i}.output_schema`);
    expect(ignoredHeader(['metadata', ...schemas, 'tools.7 (web_search_2025_08_26)', 'input.3'])).toBe(
      'metadata, tools.*.output_schema, tools.* (web_search_2025_08_26), input.*',
    );
  });

  it('is cut', () => {
    const kinds = Array.from({ length: 1_000 }, (_, i) => `field_${i}`);
    const header = ignoredHeader(kinds);
    expect(header.length).toBeLessThanOrEqual(1_024);
    const [, shown, rest] = /^(.*) and (\d+) more$/.exec(header)!;
    expect(shown!.split(', ').length + Number(rest)).toBe(1_000);
  });
});
