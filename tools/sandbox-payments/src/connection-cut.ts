/** Thrown by a protocol when the caller is to get no answer although the call took effect. */
export class ConnectionCut extends Error {}
