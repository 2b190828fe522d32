import { Paper, Tabs } from '@mantine/core';
import { useState } from 'react';
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
  const [chosen, setChosen] = useState(samples[0]?.name ?? null);
  const shown = samples.find(({ name }) => name === chosen) ?? samples[0];
  return (
    <Paper withBorder className={classes.frame}>
      <Tabs value={shown?.name ?? null} onChange={setChosen}>
        <div className={classes.head}>
          <Tabs.List aria-label={label} className={classes.tabs!}>
            {samples.map(({ name }) => (
              <Tabs.Tab key={name} value={name}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <CopyButton key={shown?.name} value={shown?.code ?? ''} label={t('code.copy')} />
        </div>
        {samples.map(({ name, code }) => (
          <Tabs.Panel key={name} value={name}>
            <pre className={classes.code} tabIndex={0}>
              {code}
            </pre>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Paper>
  );
}
