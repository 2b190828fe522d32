import { field, type FieldOptions } from '@inference/dto';
import { type ServerSentEvent } from '@inference/sse';
import { Transform } from 'class-transformer';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { type StoredStreamEvent } from '../tables/turn.entity';

interface PositionOptions extends FieldOptions {
  /** An empty text counts as absent. */
  mayBeEmpty?: boolean;
}

/** The id of a stream event. The DTO holds a StreamPosition. */
export function PositionField({ mayBeEmpty = false, ...options }: PositionOptions): PropertyDecorator {
  const asPosition = ({ value }: { value: unknown }) => {
    if (value === '' && mayBeEmpty) return undefined;
    return typeof value === 'string' ? (parseStreamPosition(value) ?? value) : value;
  };
  const isPosition = ValidateBy({
    name: 'isPosition',
    validator: {
      // A query has texts, and lists of them.
      validate: (value: unknown) => typeof value === 'object' && !Array.isArray(value),
      defaultMessage: (checked?: ValidationArguments) =>
        Array.isArray(checked?.value)
          ? 'must be given once'
          : 'must be the id of a stream event, such as 3.17',
    },
  });
  const pattern = mayBeEmpty ? `^$|${POSITION_FORM.source}` : POSITION_FORM.source;
  return field(
    { example: '3.17', ...options },
    { type: 'string', pattern },
    Transform(asPosition),
    isPosition,
  );
}

/** An event of a stream whose turn is known. */
export type StreamEvent = Pick<StoredStreamEvent, 'n' | 'kind' | 'data'>;

/** A place in the streams of a session. On the wire it is the event id `<turn>.<n>`. */
export interface StreamPosition {
  /** Number of the turn in the session. */
  turn: number;
  n: number;
}

/** A response ends after the first of these that it sends. */
const FINAL_TYPES: ReadonlySet<StreamEvent['kind']> = new Set([
  'turn.requires_action',
  'turn.completed',
  'turn.cancelled',
  'error',
]);
const POSITION_FORM = /^([1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/;

export const endsResponse = ({ kind }: StreamEvent) => FINAL_TYPES.has(kind);

/** The first event of every turn, unless the turn ends before it runs. */
export const turnStartedEvent = (turnId: string): StreamEvent => ({
  n: 1,
  kind: 'turn.started',
  data: JSON.stringify({ turn_id: turnId }),
});

/** Returns null if the text is not the id of a stream event. */
function parseStreamPosition(text: string): StreamPosition | null {
  const match = POSITION_FORM.exec(text);
  return match && { turn: Number(match[1]), n: Number(match[2]) };
}

export function toServerSentEvent(turnNumber: number, { n, kind, data }: StreamEvent): ServerSentEvent {
  return {
    type: kind,
    id: `${turnNumber}.${n}`,
    data: kind === 'delta' ? JSON.stringify({ content: data }) : data,
  };
}
