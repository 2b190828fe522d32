/** For `enableShutdownHooks`: a signal that it sends to itself does not end the first process of a container. */
export const SHUTDOWN_OPTIONS = { useProcessExit: process.pid === 1 };
