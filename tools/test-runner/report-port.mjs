/**
 * Preloaded into a service that a test starts with PORT=0: tells the test the port. A port that the test chose itself could
 * be taken by a service of another test meanwhile.
 */
import { Server } from 'node:net';

const { listen } = Server.prototype;

/** @this {Server} @param {any[]} args */
Server.prototype.listen = function listenAndReport(...args) {
  // The port on which gateways ask each other is none for clients.
  if (args[0]?.exclusive) return listen.apply(this, /** @type {any} */ (args));
  this.once('listening', () => {
    const address = this.address();
    if (address && typeof address === 'object') process.send?.({ port: address.port });
  });
  return listen.apply(this, /** @type {any} */ (args));
};
