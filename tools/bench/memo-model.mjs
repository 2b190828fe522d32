import http from 'node:http';

/**
 * A bare Node server that answers as the gateway streams chat completions, for a memo service to ask. Listens on PORT,
 * loopback only. Says one token at once; a question that begins with `At length` gets PER_SECOND more a second until whoever
 * asked it has left.
 */

const { PORT, PER_SECOND } = process.env;

const chunkOf = (choice) =>
  `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1,"model":"bench","choices":[${choice}]}\n\n`;
const TOKEN = chunkOf('{"index":0,"delta":{"content":"So [1] says"},"finish_reason":null}');
const END = `${chunkOf('{"index":0,"delta":{},"finish_reason":"stop"}')}data: [DONE]\n\n`;

function answer(body, response) {
  const { messages } = JSON.parse(body);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(TOKEN);
  if (!messages.at(-1).content.includes('\n\nQuestion: At length')) return response.end(END);
  const timer = setInterval(() => response.write(TOKEN), 1000 / Number(PER_SECOND));
  response.on('close', () => clearInterval(timer));
}

const server = http.createServer((request, response) => {
  if (request.url === '/healthz') return response.end('ok');
  let body = '';
  request.on('data', (chunk) => (body += chunk)).on('end', () => answer(body, response));
});

server.listen(Number(PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
