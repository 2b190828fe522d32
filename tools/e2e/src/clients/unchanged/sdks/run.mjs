/** `node run.mjs <program> <client>`: runs the tasks of a client, and writes the result of each as a line of JSON. */
const [program, client] = process.argv.slice(2);
const { default: clients } = await import(`./${program}`);
for (const [task, run] of Object.entries(clients[client])) {
  let result;
  try {
    result = await run();
  } catch (error) {
    result = { fault: String(error?.stack ?? error) };
  }
  process.stdout.write(`${JSON.stringify({ task, ...result })}\n`);
}
// Some libraries keep a timer or a connection.
process.exit(0);
