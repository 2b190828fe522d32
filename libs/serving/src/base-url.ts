import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/** Networks that no public server is in: the private and reserved ones of RFC 6890, and IPv6 networks whose addresses hold one of IPv4. */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv6');

/** Whether an IP address is in a private network. */
export const isPrivate = (address: string): boolean =>
  PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Says what is wrong with the form of a base address; null if nothing is. */
export function baseUrlFault(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    return 'must be a URL starting with http:// or https://';
  // A URL is read without white space at its ends; stored with it, its path would be another one.
  if (/\s/.test(text)) return 'must have no white space';
  const { username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '') return 'must hold no credentials; give them as `credential`';
  if (search !== '' || hash !== '' || /[?#]/.test(text)) return 'must have no query and no fragment';
  return null;
}

/**
 * Whether the host of a URL is, or has, an address in a private network. A name that has no address yet is not.
 * @param resolve finds the addresses of a name
 */
export async function isInPrivateNetwork(
  url: string,
  resolve: (name: string) => Promise<string[]> = addressesOf,
): Promise<boolean> {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  const addresses = isIP(host) ? [host] : await resolve(host);
  return addresses.some(isPrivate);
}

async function addressesOf(name: string): Promise<string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}
