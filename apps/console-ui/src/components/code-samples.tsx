import { Paper, Tabs } from '@mantine/core';
import { useComponentTexts } from './component-texts';
import { CopyButton } from './copy-button';
import classes from './code-samples.module.css';

export interface CodeSample {
  /** Name of the language or tool, as on its tab: `curl`, `Python`. */
  name: string;
  code: string;
}

/** The same example in several languages, each to be copied. */
export function CodeSamples({ samples, label }: { samples: CodeSample[]; label: string }) {
  const t = useComponentTexts();
  return (
    <Paper withBorder className={classes.frame}>
      <Tabs defaultValue={samples[0]?.name ?? null}>
        <Tabs.List aria-label={label}>
          {samples.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {samples.map(({ name, code }) => (
          <Tabs.Panel key={name} value={name} className={classes.panel}>
            <div className={classes.copy}>
              <CopyButton value={code} label={t('code.copy')} />
            </div>
            <pre className={classes.code} tabIndex={0}>
              {code}
            </pre>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Paper>
  );
}
