import { isNetwork, Networks } from './networks';

describe('networks', () => {
  it.each([
    ['192.0.2.7', ['192.0.2.7'], true],
    ['192.0.2.8', ['192.0.2.7'], false],
    ['192.0.2.255', ['192.0.2.0/24'], true],
    ['192.0.3.0', ['192.0.2.0/24'], false],
    // Bits behind the prefix do not count.
    ['10.200.1.1', ['10.1.2.3/8'], true],
    ['8.8.8.8', ['0.0.0.0/0'], true],
    ['2001:db8::1', ['0.0.0.0/0'], false],
    ['2001:db8:0:0::1', ['2001:db8::/32'], true],
    ['2001:db9::1', ['2001:db8::/32'], false],
    ['::ffff:192.0.2.7', ['192.0.2.0/24'], true],
    ['::FFFF:c000:0207', ['192.0.2.7'], true],
    ['192.0.2.7', ['::ffff:192.0.2.0/120'], true],
    ['192.0.2.7', ['::/0'], false],
    ['fe80::1%eth0', ['fe80::/10'], true],
    ['198.51.100.1', ['192.0.2.0/24', '198.51.100.1'], true],
    [undefined, ['0.0.0.0/0', '::/0'], false],
    ['unix:', ['0.0.0.0/0', '::/0'], false],
  ])('%s in %j: %s', (address, networks, isInside) => {
    expect(new Networks(networks).contains(address)).toBe(isInside);
  });

  it.each([
    '',
    '1.2.3',
    '1.2.3.4/33',
    '::/129',
    '1.2.3.4/',
    '1.2.3.4/a',
    '01.2.3.4',
    'localhost',
    '1.2.3.4/1/2',
    'g::1',
  ])('are not %j', (text) => expect(isNetwork(text)).toBe(false));
});
