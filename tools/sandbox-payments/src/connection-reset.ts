/** Thrown by a protocol if the call took effect but the connection is to be cut without an answer. */
export class ConnectionReset extends Error {}
