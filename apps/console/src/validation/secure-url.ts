const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether the connection is protected from the network: https, or an address of this machine. Throws if `url` is not a URL. */
export function isPrivateChannel(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || LOOPBACK_HOSTS.has(hostname);
}
