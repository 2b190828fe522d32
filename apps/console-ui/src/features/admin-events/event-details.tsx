import { useAdminEventTexts } from './admin-event-texts';
import classes from './event-details.module.css';
import { type AuditEvent } from './event-queries';

/** The further facts of an event, each with its name. */
export function EventDetails({ event: { details } }: { event: AuditEvent }) {
  const t = useAdminEventTexts();
  const facts = Object.entries(details);
  if (facts.length === 0) return '–';
  const textOf = (value: unknown) => {
    if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
    return value === null ? '–' : String(value as string);
  };
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt translate="no">{name}</dt>
          <dd translate={typeof value === 'string' ? 'no' : undefined}>{textOf(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
