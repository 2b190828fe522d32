import http from 'node:http';

/**
 * A minimal server that streams chat completions like the gateway, as an upstream of the memo service. Listens on PORT of
 * loopback. Sends one token at once. A question that begins with `At length` gets PER_SECOND further tokens a second until
 * the client disconnects.
 */

const { PORT, PER_SECOND } = process.env;

/** @param {string} choice JSON */
const chunkOf = (choice) =>
  `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1,"model":"bench","choices":[${choice}]}\n\n`;
const TOKEN = chunkOf('{"index":0,"delta":{"content":"So [1] says"},"finish_reason":null}');
const END = `${chunkOf('{"index":0,"delta":{},"finish_reason":"stop"}')}data: [DONE]\n\n`;

/** @param {string} body @param {http.ServerResponse} response */
function answer(body, response) {
  const { messages } = JSON.parse(body);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(TOKEN);
  if (!messages.at(-1).content.includes('\n\nQuestion: At length')) {
    response.end(END);
    return;
  }
  const timer = setInterval(() => response.write(TOKEN), 1000 / Number(PER_SECOND));
  response.on('close', () => clearInterval(timer));
}

const server = http.createServer((request, response) => {
  if (request.url === '/healthz') {
    response.end('ok');
    return;
  }
  let body = '';
  request.on('data', (chunk) => (body += chunk)).on('end', () => answer(body, response));
});

server.listen(Number(PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
