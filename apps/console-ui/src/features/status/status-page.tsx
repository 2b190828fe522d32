import { Alert, Badge, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck } from 'lucide-react';
import { type ReactNode } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { type ChineseTexts, defineTexts } from '../../language/define-texts';
import { useLanguage } from '../../language/language';
import { Time } from '../../time/time';
import { AnnouncementText } from '../announcements/announcement-text';
import { type SiteStatus, statusQuery } from './status-query';
import classes from './status.module.css';

type Incident = SiteStatus['incidents'][number];
type State = SiteStatus['models'][number]['status'];

const en = {
  title: 'Status',
  description: 'The current state of our services and models, and the incidents of the last 90 days.',
  'all.operational': 'All systems operational',
  'all.degraded': 'Some systems have problems',
  'all.outage': 'Major outage',
  checked: 'Last checked',
  services: 'Services',
  models: 'Models',
  'models.none': 'No models are offered yet.',
  'state.operational': 'Operational',
  'state.degraded': 'Degraded',
  'state.outage': 'Outage',
  'state.unknown': 'Unknown',
  'name.console': 'Console',
  'name.gateway': 'Model API',
  'name.router-cost': 'Cost reports',
  'name.training': 'Training',
  'name.agent': 'Agents',
  'name.memo': 'Workspaces',
  'name.agent-environments': 'Agent environments',
  current: 'Current incidents',
  past: 'Past incidents',
  'past.none': 'No incidents in the last 90 days.',
  'severity.warning': 'Warning',
  'severity.critical': 'Critical',
  'severity.info': 'Notice',
  since: 'Since',
  to: 'to',
  'missing.title': 'There is no status page',
  'missing.text': 'This site does not publish the state of its services here.',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '服务状态',
  description: '各项服务与模型的当前状态，以及最近 90 天的事件记录。',
  'all.operational': '所有系统运行正常',
  'all.degraded': '部分系统出现问题',
  'all.outage': '服务大面积中断',
  checked: '检查时间',
  services: '服务',
  models: '模型',
  'models.none': '暂无提供的模型。',
  'state.operational': '正常',
  'state.degraded': '性能下降',
  'state.outage': '中断',
  'state.unknown': '未知',
  'name.console': '控制台',
  'name.gateway': '模型 API',
  'name.router-cost': '费用报表',
  'name.training': '训练',
  'name.agent': '智能体',
  'name.memo': '知识库',
  'name.agent-environments': '智能体环境',
  current: '当前事件',
  past: '历史事件',
  'past.none': '最近 90 天没有事件。',
  'severity.warning': '警告',
  'severity.critical': '严重',
  'severity.info': '通知',
  since: '开始于',
  to: '至',
  'missing.title': '没有状态页',
  'missing.text': '本站未在此公布服务状态。',
};

const useStatusTexts = defineTexts('status', en, zh);

const COLORS: Record<State, string> = {
  operational: 'green',
  degraded: 'yellow',
  outage: 'red',
  unknown: 'gray',
};

/** Whether services and models work, and what was announced of incidents. */
export function StatusPage() {
  const t = useStatusTexts();
  const query = useQuery(statusQuery(useConsoleApi()));
  return (
    <Page title={t('title')} description={t('description')} width="narrow">
      <QueryState query={query}>
        {(status) =>
          status ? (
            <Status status={status} />
          ) : (
            <EmptyState title={t('missing.title')}>{t('missing.text')}</EmptyState>
          )
        }
      </QueryState>
    </Page>
  );
}

function Status({
  status: { status, services, models, incidents, checked_at: checkedAt },
}: {
  status: SiteStatus;
}) {
  const t = useStatusTexts();
  const isCurrent = ({ ends_at: end }: Incident) => end === null || Date.parse(end) > Date.parse(checkedAt);
  const current = incidents.filter(isCurrent);
  const past = incidents.filter((incident) => !isCurrent(incident));
  return (
    <Stack gap="xl">
      <Stack gap="xs">
        <div role="status">
          <Alert
            variant="light"
            color={COLORS[status]}
            icon={status === 'operational' ? <CircleCheck size={18} /> : <CircleAlert size={18} />}
            title={t(`all.${status}`)}
          />
        </div>
        <Text size="sm" c="dimmed">
          {t('checked')} <Time value={checkedAt} detail="second" />
        </Text>
      </Stack>
      {current.length > 0 && (
        <Section title={t('current')}>
          {current.map((incident) => (
            <IncidentArticle key={incident.id} incident={incident} />
          ))}
        </Section>
      )}
      <Section title={t('services')}>
        <States rows={services.map(({ name, status: state }) => ({ name: t(`name.${name}`), state }))} />
      </Section>
      <Section title={t('models')}>
        {models.length === 0 ? (
          <Text c="dimmed">{t('models.none')}</Text>
        ) : (
          <States rows={models.map(({ slug, status: state }) => ({ name: slug, state }))} />
        )}
      </Section>
      <Section title={t('past')}>
        {past.length === 0 ? (
          <Text c="dimmed">{t('past.none')}</Text>
        ) : (
          past.map((incident) => <IncidentArticle key={incident.id} incident={incident} />)
        )}
      </Section>
    </Stack>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>{title}</Title>
      {children}
    </Stack>
  );
}

function States({ rows }: { rows: { name: string; state: State }[] }) {
  const t = useStatusTexts();
  return (
    <ul className={classes.list}>
      {rows.map(({ name, state }) => (
        <li key={name} className={classes.row}>
          <span className={classes.name}>{name}</span>
          <Badge variant="dot" color={COLORS[state]} tt="none" fw={500}>
            {t(`state.${state}`)}
          </Badge>
        </li>
      ))}
    </ul>
  );
}

function IncidentArticle({ incident }: { incident: Incident }) {
  const t = useStatusTexts();
  const { language } = useLanguage();
  const { id, severity, starts_at: start, ends_at: end } = incident;
  const [title, body] =
    language === 'en' ? [incident.title_en, incident.body_en] : [incident.title_zh, incident.body_zh];
  return (
    <article className={classes.incident} data-severity={severity} aria-labelledby={id}>
      <Title order={3} id={id}>
        {title}
      </Title>
      <Text size="sm" c="dimmed">
        {t(`severity.${severity}`)} · {end === null && `${t('since')} `}
        <Time value={start} />
        {end !== null && (
          <>
            {` ${t('to')} `}
            <Time value={end} />
          </>
        )}
      </Text>
      <Text mt="xs" className={classes.text}>
        <AnnouncementText text={body} />
      </Text>
    </article>
  );
}
