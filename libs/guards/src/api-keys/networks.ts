import { BlockList, isIPv4, isIPv6, SocketAddress } from 'node:net';

interface Network {
  address: string;
  family: 'ipv4' | 'ipv6';
  prefix: number;
}

/** Bits before the IPv4 address in one that is mapped into IPv6. */
const MAPPED_BITS = 96;

/** The IPv4 address in `::ffff:192.0.2.1` or `::ffff:c000:201`; undefined for every other address. */
function mappedAddress(address: string): string | undefined {
  // Node writes an address in one form: the mapped ones with dots.
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address;
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(canonical) ?? [];
  return mapped;
}

/** Reads an address, or a network such as `192.0.2.0/24`. Null for every other text. */
function readNetwork(text: string): Network | null {
  const [, address = '', digits] = /^([0-9a-f:.]{2,45})(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const prefix = digits === undefined ? undefined : Number(digits);
  if (isIPv4(address)) {
    const known = prefix ?? 32;
    return known <= 32 ? { address, family: 'ipv4', prefix: known } : null;
  }
  if (!isIPv6(address)) return null;
  const known = prefix ?? 128;
  if (known > 128) return null;
  const mapped = mappedAddress(address);
  return mapped !== undefined && known >= MAPPED_BITS
    ? { address: mapped, family: 'ipv4', prefix: known - MAPPED_BITS }
    : { address, family: 'ipv6', prefix: known };
}

/** Whether a text is an IP address or a network in CIDR notation. */
export const isNetwork = (text: string): boolean => readNetwork(text) !== null;

/** Addresses and networks. A text that is neither is in none. */
export class Networks {
  // One list would take each IPv4 address for one of `::/0`, too.
  private readonly lists = { ipv4: new BlockList(), ipv6: new BlockList() };

  constructor(networks: readonly string[]) {
    for (const text of networks) {
      const network = readNetwork(text);
      if (!network) continue;
      const { address, prefix, family } = network;
      this.lists[family].addSubnet(address, prefix, family);
    }
  }

  /** Whether an address is in one of them. An IPv4 address counts as such also when it is mapped into IPv6. */
  contains(address: string | undefined): boolean {
    const found = readNetwork(address?.replace(/%.*$/, '') ?? '');
    return found !== null && this.lists[found.family].check(found.address, found.family);
  }
}
