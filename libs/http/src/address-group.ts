import { isIPv4, isIPv6 } from 'node:net';

const HEXTETS = 8;
/** Hextets of an IPv6 network, which its holder can fill with addresses at will. */
const NETWORK_HEXTETS = 4;
const MAPPED = /^0*:(?:0*:)*ffff:(.+)$/;
/** A proxy can forward any text as an address; longer than every address. */
const MAX_ADDRESS_CHARS = 64;

/**
 * What counts as one sender: an IPv4 address (also one mapped to IPv6), or the /64 network of an IPv6 address. Returns what is
 * neither as it is, shortened, and '' for an unknown address. `accounts.address_network` of the database does the same.
 */
export function addressGroup(address: string | undefined): string {
  if (address === undefined) return '';
  if (!address.includes(':')) return address.slice(0, MAX_ADDRESS_CHARS);
  const [bare = ''] = address.toLowerCase().split('%');
  if (!isIPv6(bare)) return address.slice(0, MAX_ADDRESS_CHARS);
  return mappedIpv4(bare) ?? `${network(bare)}/64`;
}

function mappedIpv4(address: string): string | undefined {
  const rest = MAPPED.exec(address)?.[1];
  if (rest === undefined) return undefined;
  if (isIPv4(rest)) return rest;
  const parts = rest.split(':');
  if (parts.length !== 2) return undefined;
  const [high, low] = parts.map((part) => parseInt(part, 16)) as [number, number];
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** The first half of an address, in the short form of RFC 5952. */
function network(address: string): string {
  const [left = '', right] = address.split('::');
  const head = left === '' ? [] : left.split(':');
  // Hextets before an embedded IPv4 address are never in its place: that is the last two of eight.
  const tail = right ? right.split(':') : [];
  const tailHextets = tail.length + (tail.at(-1)?.includes('.') ? 1 : 0);
  const missing = right === undefined ? 0 : HEXTETS - head.length - tailHextets;
  const hextets = [...head, ...Array<string>(missing).fill('0'), ...tail]
    .slice(0, NETWORK_HEXTETS)
    .map((hextet) => parseInt(hextet, 16));
  while (hextets.at(-1) === 0) hextets.pop();
  return `${hextets.map((hextet) => hextet.toString(16)).join(':')}::`;
}
