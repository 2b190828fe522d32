import { Figure } from '../../figures/figure';
import { estimateQuery, samplesOf } from './request-samples';

it('writes the same body in every language, and keeps quotes from ending it', () => {
  const body = { model: 'm', messages: [{ role: 'user', content: "It's" }], temperature: Figure.of('0.70') };
  const [curl, python, node] = samplesOf('https://gateway.test', body).map(({ code }) => code);
  expect(curl).toContain(
    String.raw`-d '{"model":"m","messages":[{"role":"user","content":"It'\''s"}],"temperature":0.7}'`,
  );
  expect(python).toContain(`    temperature=0.7,`);
  expect(node).toContain(`    messages: [{"role":"user","content":"It's"}],`);
});

it('keeps no picture in the key of an estimate, and none longer than its estimate is shown', () => {
  const bodies = () => [{ messages: [{ role: 'user', content: 'A'.repeat(1_000_000) }] }];
  const asked = bodies();
  const [first, again, other] = [asked, asked, bodies()].map((each) => estimateQuery({} as never, each));
  expect(JSON.stringify(first!.queryKey).length).toBeLessThan(100);
  expect(again!.queryKey).toEqual(first!.queryKey);
  expect(other!.queryKey).not.toEqual(first!.queryKey);
  expect(first!.gcTime).toBe(0);
});
