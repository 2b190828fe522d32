import { Figure } from '../../figures/figure';
import { samplesOf } from './request-samples';

it('writes the same body in every language, and keeps quotes from ending it', () => {
  const body = { model: 'm', messages: [{ role: 'user', content: "It's" }], temperature: Figure.of('0.70') };
  const [curl, python, node] = samplesOf('https://gateway.test', body).map(({ code }) => code);
  expect(curl).toContain(
    String.raw`-d '{"model":"m","messages":[{"role":"user","content":"It'\''s"}],"temperature":0.7}'`,
  );
  expect(python).toContain(`    temperature=0.7,`);
  expect(node).toContain(`    messages: [{"role":"user","content":"It's"}],`);
});
