import { Anchor, Code, Group, Paper } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';
import { useConsoleApi } from '../../../api/console-api';
import { CopyButton } from '../../../components/copy-button';
import { Bytes } from '../../../figures/bytes';
import { Time } from '../../../time/time';
import { pricingQuery } from '../../pricing/pricing-queries';
import { type Model } from '../model-queries';
import { useModelsTexts } from '../texts/models-texts';
import classes from './model-facts.module.css';

/** A fact that the model does not have is left out, except the licence, for which people look. */
export function ModelFacts({ model }: { model: Model }) {
  const t = useModelsTexts();
  const { data: pricing } = useQuery(pricingQuery(useConsoleApi()));
  const isCallable = pricing?.models.some(({ slug }) => slug === model.slug);
  const facts: [name: string, value: ReactNode][] = [
    [t('slug'), <Code key="slug">{model.slug}</Code>],
    [t('license'), model.license ?? t('license.missing')],
    [t('family'), model.family],
    [t('parameters'), model.parameters],
    [t('quantization'), model.quantization],
    [t('format'), model.format],
    [t('version'), model.version],
    [t('file'), <Code key="file">{model.file_name}</Code>],
    [t('size'), <Bytes key="size" value={model.size} />],
    [
      'SHA-256',
      <Group key="sha256" gap={4} wrap="nowrap">
        <Code className={classes.digest}>{model.sha256}</Code>
        <CopyButton value={model.sha256} label={t('sha256.copy')} />
      </Group>,
    ],
    [t('published'), <Time key="published" value={model.published_at} detail="day" />],
    [
      t('api'),
      isCallable && (
        <Anchor key="api" component={Link} to="/pricing" inherit>
          {t('api.callable')}
        </Anchor>
      ),
    ],
  ];
  return (
    <Paper withBorder component="dl" className={classes.facts}>
      {facts.map(
        ([name, value]) =>
          value && (
            <div key={name} className={classes.fact}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </Paper>
  );
}
