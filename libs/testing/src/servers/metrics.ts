import { type INestApplicationContext } from '@nestjs/common';
import { Metrics, MetricsServer } from '@inference/http';

/** The metrics of a service as Prometheus reads them. */
export async function metricsOf(app: INestApplicationContext): Promise<string> {
  const server = new MetricsServer(app.get(Metrics, { strict: false }).registry);
  const port = await server.listen(0, '127.0.0.1');
  try {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    if (!response.ok) throw new Error(`The scrape failed with ${response.status}.`);
    return await response.text();
  } finally {
    server.onApplicationShutdown();
  }
}

/** The value of a series such as `name{label="value"}` in such a text; undefined if it is not served. */
export function valueOf(text: string, series: string): number | undefined {
  const line = text.split('\n').find((other) => other.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}
