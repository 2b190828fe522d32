import { KeptBytes } from './kept-bytes';

describe('KeptBytes', () => {
  it('lets the oldest of the account that has most go first', () => {
    const kept = new KeptBytes<string>(100);
    expect(kept.add('small', 'a', 30)).toEqual([]);
    expect(kept.add('large', 'b', 35)).toEqual([]);
    expect(kept.add('large', 'c', 35)).toEqual([]);
    expect(kept.add('small', 'd', 5)).toEqual(['b']);
    expect(kept.add('large', 'e', 40)).toEqual(['c']);
  });

  it('does not keep an item whose account would displace others with it', () => {
    const kept = new KeptBytes<string>(100);
    kept.add('small', 'a', 30);
    expect(kept.add('large', 'b', 90)).toEqual(['b']);
    expect(kept.add('other', 'c', 70)).toEqual([]);
  });

  it('has the room again of what was removed', () => {
    const kept = new KeptBytes<string>(100);
    kept.add('one', 'a', 90);
    kept.remove('one', 'a');
    kept.remove('one', 'a');
    kept.remove('another', 'a');
    expect(kept.add('other', 'b', 100)).toEqual([]);
  });
});
