import http from 'node:http';

/**
 * A minimal proxy: streams requests to UPSTREAM, and its responses back, over persistent connections. Listens on PORT of
 * loopback.
 */

const upstream = new URL(process.env.UPSTREAM ?? '');
const agent = new http.Agent({ keepAlive: true });

const server = http.createServer((request, response) => {
  if (request.url === '/healthz') {
    response.end('ok');
    return;
  }
  const forwarded = http.request(
    {
      agent,
      host: upstream.hostname,
      port: upstream.port,
      method: request.method,
      path: request.url,
      headers: { ...request.headers, host: upstream.host },
    },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  forwarded.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  response.on('close', () => {
    if (!response.writableFinished) forwarded.destroy();
  });
  request.pipe(forwarded);
});

server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
