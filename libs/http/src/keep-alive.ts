/**
 * How long a server leaves a connection open between two requests. Longer than most clients and load balancers leave theirs
 * (60 seconds or less), so that they do not send a request on a connection that the server is just closing.
 */
export const KEEP_ALIVE_MILLIS = 75_000;
