/** Resolves once the browser says that it is online again, or after a pause: not every loss is noticed by it. */
export const connectionOrPause = (pauseMillis: number): Promise<void> =>
  new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      window.removeEventListener('online', go);
      resolve();
    };
    const timer = setTimeout(go, pauseMillis);
    window.addEventListener('online', go);
  });
