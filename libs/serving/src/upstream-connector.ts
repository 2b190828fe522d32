import { lookup as lookUp } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPrivate } from './base-url';

/** An upstream has no address outside private networks. */
export class PrivateAddressError extends Error {
  constructor(hostname: string) {
    super(`${hostname} is in a private network, which UPSTREAM_PRIVATE_NETWORKS refuses`);
  }
}

/**
 * Connects to upstreams. A name is judged by the addresses that it has when the connection is made, since they may change after its base
 * address was stored; kept connections are not judged again. Fails with PrivateAddressError.
 * @param mayBePrivate whether the server of an origin may be in a private network
 * @param resolve finds the addresses of a name
 */
export function upstreamConnector(
  timeoutMillis: number,
  mayBePrivate: (origin: string) => boolean,
  resolve: LookupFunction = lookUp,
): buildConnector.connector {
  const anywhere = buildConnector({ timeout: timeoutMillis });
  const inPublic = buildConnector({ timeout: timeoutMillis, lookup: publicLookup(resolve) });
  return (options, callback) => {
    const { protocol, hostname, host = hostname } = options;
    if (mayBePrivate(`${protocol}//${host}`)) return anywhere(options, callback);
    // An address is not looked up.
    if (isIP(hostname) && isPrivate(hostname))
      return process.nextTick(() => callback(new PrivateAddressError(hostname), null));
    inPublic(options, callback);
  };
}

const publicLookup =
  (resolve: LookupFunction): LookupFunction =>
  (hostname, options, callback) =>
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const addresses = (found as { address: string; family: number }[]).filter(
        ({ address }) => !isPrivate(address),
      );
      const [first] = addresses;
      if (!first) return callback(new PrivateAddressError(hostname), []);
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
