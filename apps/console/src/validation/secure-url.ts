const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether nobody on the network can change what is sent: https, or this machine itself. Throws if `url` is no URL. */
export function isPrivateChannel(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || LOOPBACK_HOSTS.has(hostname);
}
