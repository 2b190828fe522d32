/**
 * How long a server leaves a connection open between two requests. Longer than the 60 seconds for which many load balancers leave
 * theirs, so that they do not send a request on a connection that the server is just closing.
 */
export const KEEP_ALIVE_MILLIS = 75_000;
