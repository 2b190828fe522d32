import { version } from '../../../../package.json';
import { Metrics } from './metrics';

it('serves the largest lag of workers, not their average', async () => {
  const metrics = new Metrics();
  metrics.observeProcess();
  metrics.observeProcess();
  const found = await metrics.registry.getMetricsAsJSON();
  expect(found.find(({ name }) => name === 'nodejs_eventloop_lag_p99_seconds')?.aggregator).toBe('max');
});

it('says which version of the product runs', async () => {
  const text = await new Metrics().registry.metrics();
  expect(text).toContain(`inference_build_info{version="${version}"} 1`);
});
