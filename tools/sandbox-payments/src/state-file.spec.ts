import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StateFile } from './state-file';

describe('the file of a state', () => {
  let folder: string;
  let file: string;
  let state: { value: number };
  const open = () => new StateFile(file, () => state);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'state-file-'));
    file = join(folder, 'orders.json');
    state = { value: 1 };
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('contains the newest value after a save, and only its owner can read it', async () => {
    const kept = open();
    expect(kept.read()).toBeUndefined();
    await kept.save();
    for (let value = 2; value < 20; value++) {
      state = { value };
      const saved = kept.save();
      if (value % 3 === 0) {
        await saved;
        expect(open().read()).toEqual({ value });
      }
    }
    await kept.save();
    expect(open().read()).toEqual({ value: 19 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['orders.json']);
  });

  it('contains changes that were made during a save', async () => {
    const kept = open();
    const saves = Array.from({ length: 30 }, async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * 3));
      const value = (state = { value: state.value + 1 }).value;
      await kept.save();
      expect(open().read()!.value).toBeGreaterThanOrEqual(value);
    });
    await Promise.all(saves);
  });

  it.each(['', '{', 'null', '[]', '{"version":99,"state":{}}'])(
    'is rejected if it contains %j',
    (content) => {
      writeFileSync(file, content);
      expect(() => open().read()).toThrow(`${file} holds no orders`);
      expect(readFileSync(file, 'utf8')).toBe(content);
    },
  );

  it('can be saved after a failed save', async () => {
    const kept = open();
    rmSync(folder, { recursive: true });
    await expect(kept.save()).rejects.toThrow('ENOENT');
    mkdirSync(folder);
    await kept.save();
    expect(open().read()).toEqual({ value: 1 });
  });
});
